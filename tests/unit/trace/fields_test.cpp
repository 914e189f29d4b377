// SPDX-License-Identifier: MIT
#include <slo/trace/fields.hpp>

#define BOOST_TEST_MODULE trace_fields
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace {
using namespace slo;

json::object object(std::string_view text)
{
    return parse_json(text).get_object();
}

template <class Read>
std::string fault(Read&& read)
{
    try {
        read();
    } catch (const record::RowError& error) {
        return error.what();
    }
    return "none";
}

BOOST_AUTO_TEST_CASE(token_counts)
{
    const auto record = object(R"({"a":7,"b":7.0,"c":7.5,"d":-1,"e":"7","f":null,"g":10000001})");
    BOOST_TEST(trace::tokens_at(record, "a").value() == 7);
    BOOST_TEST(trace::tokens_at(record, "b").value() == 7);
    BOOST_TEST(!trace::tokens_at(record, "f"));
    BOOST_TEST(!trace::tokens_at(record, "z"));
    for (const char* bad : {"c", "d", "e", "g"})
        BOOST_TEST(fault([&] { trace::tokens_at(record, bad); }) ==
                   bad + std::string(" is no number of tokens"));
}

BOOST_AUTO_TEST_CASE(times_are_exact)
{
    using record::TsUnit;
    const auto record = object(R"({"i":27000,"d":27000.25,"n":-1,"s":"1","f":1e300})");
    BOOST_TEST(trace::time_at(record, "i", TsUnit::ms).value() == 27'000'000'000);
    BOOST_TEST(trace::time_at(record, "d", TsUnit::ms).value() == 27'000'250'000);
    BOOST_TEST(trace::time_at(record, "d", TsUnit::ms, "27000.250001").value() == 27'000'250'001);
    BOOST_TEST(!trace::time_at(record, "z", TsUnit::ms));
    BOOST_TEST(fault([&] { trace::time_at(record, "n", TsUnit::s); }) == "n is negative");
    BOOST_TEST(fault([&] { trace::time_at(record, "s", TsUnit::s); }) == "s is no number");
    BOOST_TEST(fault([&] { trace::time_at(record, "f", TsUnit::s); }) == "f is no time");
}

BOOST_AUTO_TEST_CASE(ids)
{
    const auto record = object(R"({"t":"x","i":-3,"u":18446744073709551615,"d":1.5,"n":null})");
    BOOST_TEST(trace::id_at(record, "t") == "x");
    BOOST_TEST(trace::id_at(record, "i") == "-3");
    BOOST_TEST(trace::id_at(record, "u") == "18446744073709551615");
    BOOST_TEST(trace::id_at(record, "n") == "");
    BOOST_TEST(fault([&] { trace::id_at(record, "d"); }) == "d is neither text nor an integer");
    const json::object longest{{"t", json_text(std::string(4097, 'x'))}};
    BOOST_TEST(fault([&] { trace::id_at(longest, "t"); }) == "t is too long");
}

BOOST_AUTO_TEST_CASE(hash_ids_keep_64_bits)
{
    const auto ids =
        trace::hash_ids_of(object(R"({"hash_ids":[0,18446744073709551615,9223372036854775807,-1]})"));
    BOOST_TEST(ids.size() == 4u);
    BOOST_TEST(ids[1] == 18446744073709551615u);
    BOOST_TEST(ids[2] == 9223372036854775807u);
    BOOST_TEST(trace::hash_ids_of(object("{}")).empty());
    BOOST_TEST(fault([] { trace::hash_ids_of(object(R"({"hash_ids":[1.5]})")); }) ==
               "hash_ids holds what is no integer of 64 bits");
    BOOST_TEST(fault([] { trace::hash_ids_of(object(R"({"hash_ids":[18446744073709551616]})")); }) ==
               "hash_ids holds what is no integer of 64 bits");
    BOOST_TEST(fault([] { trace::hash_ids_of(object(R"({"hash_ids":7})")); }) == "hash_ids is no list");
}

BOOST_AUTO_TEST_CASE(blocks_are_as_many_as_tokens_fill)
{
    for (const std::int64_t tokens : {1, 511, 512})
        BOOST_TEST(fault([&] { trace::check_blocks(1, tokens, 512); }) == "none");
    BOOST_TEST(fault([] { trace::check_blocks(0, 0, 512); }) == "none");
    BOOST_TEST(fault([] { trace::check_blocks(2, 513, 512); }) == "none");
    BOOST_TEST(fault([] { trace::check_blocks(1, 513, 512); }) ==
               "hash_ids do not match input_length (513 tokens are 2 blocks of 512, not 1)");
}

} // namespace
