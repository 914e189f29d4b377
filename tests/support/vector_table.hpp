// SPDX-License-Identifier: MIT
// Compares answers with those of test vectors, value by value, but for a table of those that differ on
// purpose.

#ifndef SLO_TESTS_VECTOR_TABLE_HPP
#define SLO_TESTS_VECTOR_TABLE_HPP

#include <slo/base/json.hpp>

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

namespace slo::test {

/// A value that is not the vector's: which, what ours is as JSON ("absent" where we have none), and why.
struct Difference {
    std::string vector, path, ours, reason;
};

/// Every value of a vector is either equal or stands in the table, with what ours says.
class VectorTable {
public:
    explicit VectorTable(std::vector<Difference> differences) : differences_(std::move(differences)) {}

    /// Compares all that `expected` has; keys of ours that it lacks are no difference. Numbers are compared
    /// as numbers.
    void compare(const std::string& vector, const std::string& path, const json::value& expected,
                 const json::value* ours)
    {
        if (const auto* listed = find_listed(vector, path)) {
            BOOST_CHECK_MESSAGE(!listed->reason.empty(), vector + " " + path + ": a reason stands beside it");
            BOOST_CHECK_MESSAGE(!ours || !equal(expected, *ours), vector + " " + path + " does not differ");
            BOOST_CHECK_EQUAL(vector + " " + path + " " + (ours ? to_json(*ours) : "absent"),
                              vector + " " + path + " " + listed->ours);
            seen_.insert(vector + " " + path);
            return;
        }
        const auto* object = expected.if_object();
        const auto* our_object = ours ? ours->if_object() : nullptr;
        if (object && our_object) {
            for (const auto& member : *object) {
                const std::string key(member.key());
                compare(vector, path.empty() ? key : path + "." + key, member.value(),
                        find(*our_object, key));
            }
            return;
        }
        BOOST_CHECK_MESSAGE(ours && equal(expected, *ours), vector + " " + path + ": " + to_json(expected) +
                                                                " expected, ours is " +
                                                                (ours ? to_json(*ours) : "absent"));
    }

    /// Every line of the table was met.
    void finish() const
    {
        for (const auto& each : differences_)
            BOOST_CHECK_MESSAGE(seen_.count(each.vector + " " + each.path),
                                each.vector + " " + each.path + " is in no vector");
    }

private:
    static bool equal(const json::value& a, const json::value& b)
    {
        const auto x = as_number(&a);
        const auto y = as_number(&b);
        return x && y ? *x == *y : to_json(a) == to_json(b);
    }

    const Difference* find_listed(const std::string& vector, const std::string& path) const
    {
        for (const auto& each : differences_) {
            if (each.vector == vector && each.path == path)
                return &each;
        }
        return nullptr;
    }

    std::vector<Difference> differences_;
    std::set<std::string> seen_;
};

} // namespace slo::test

#endif
