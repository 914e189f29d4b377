// SPDX-License-Identifier: MIT
// What route-build anonymize is told.

#ifndef SLO_WORKLOAD_ANONYMIZE_OPTIONS_HPP
#define SLO_WORKLOAD_ANONYMIZE_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/tokens/tokenizer_options.hpp>
#include <slo/workload/build.hpp>

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

namespace slo::workload {

/// What route-build anonymize is told.
struct AnonymizeOptions {
    static constexpr const char* verb = "anonymize";
    static constexpr const char* synopsis = "--tokenizer HOW [OPTION]... [FILE]";
    static constexpr const char* summary = "Other words, as many tokens, prefixes shared as before.";

    BuildOptions build;
    std::vector<std::string> files{"-"};
    std::string key_file;
    std::int64_t block = 16;
    std::string prefix_id = "anon-";
    tokens::TokenizerOptions tokenizer = tokens::TokenizerOptions::required();

    template <class Table>
    void describe(Table& table)
    {
        table.section("Replacement");
        table.add("key-file", key_file, "FILE",
                  "its bytes are the key: equal texts of several routes become equal texts; else a key that "
                  "nobody keeps");
        table.add("block", block, "TOKENS", "length of the blocks whose sharing is kept");
        table.add("prefix-id", prefix_id, "TEXT", "conversation ids are this and a number");
        tokenizer.describe(table);
        table.positional(files);
    }

    /// The key: the bytes of the file, or 32 random ones. Throws IoError, and InputError for a short file.
    std::string key() const
    {
        if (key_file.empty()) {
            std::string random(32, '\0');
            if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
                throw IoError("random key", errno);
            return random;
        }
        auto bytes = io::read_all(key_file, 4096);
        if (bytes.size() < 16)
            throw InputError(key_file + ": a key needs at least 16 bytes");
        return bytes;
    }

    /// `block`, checked. Throws UsageError.
    std::int64_t block_tokens() const
    {
        if (block < 1 || block > 4096)
            throw UsageError("--block", "must be from 1 to 4096");
        return block;
    }

    /// Throws Error.
    void run(Build& out) const;
};

} // namespace slo::workload

#endif
