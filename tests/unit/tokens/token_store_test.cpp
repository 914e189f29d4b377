// SPDX-License-Identifier: MIT
#include <slo/tokens/token_store.hpp>
#define BOOST_TEST_MODULE tokens_token_store
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <filesystem>
#include <fstream>

using namespace slo;
using namespace slo::tokens;

namespace {

std::string key(int number)
{
    auto text = std::to_string(number);
    return std::string(64 - text.size(), '0') + text;
}

const TokenList one_two{1, 2};

std::string text_of(const std::string& path)
{
    return io::read_all(path, 1 << 20);
}

void append(const std::string& path, const std::string& text)
{
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_was_put_is_found_in_memory)
{
    TokenStore store;
    BOOST_TEST(!store.find(key(1)));
    store.put(key(1), one_two);
    store.put(key(2), {});
    BOOST_TEST(*store.find(key(1)) == one_two, boost::test_tools::per_element());
    BOOST_TEST(store.find(key(2))->empty());
}

BOOST_AUTO_TEST_CASE(memory_is_bounded_and_what_is_in_use_stays)
{
    TokenStore store(10000);
    for (int i = 0; i < 1000; ++i) {
        store.put(key(i), TokenList(36));
        BOOST_TEST((store.find(key(0)) != std::nullopt));
    }
    int kept = 0;
    for (int i = 0; i < 1000; ++i)
        kept += store.find(key(i)) ? 1 : 0;
    BOOST_TEST(kept < 150);
    BOOST_TEST((store.find(key(999)) != std::nullopt));
}

BOOST_AUTO_TEST_CASE(the_file_outlives_the_run_and_two_runs_may_share_it)
{
    const test::ScratchFile file;
    {
        TokenStore first(file.path());
        TokenStore second(file.path());
        first.put(key(1), one_two);
        second.put(key(2), {});
        first.flush();
        second.flush();
    }
    BOOST_TEST(text_of(file.path()) == "{\"schema\":\"sloutils.tokens/1\"}\n{\"key\":\"" + key(1) +
                                           "\",\"tokens\":[1,2]}\n{\"key\":\"" + key(2) +
                                           "\",\"tokens\":[]}\n");
    TokenStore third(file.path());
    BOOST_TEST(*third.find(key(1)) == one_two, boost::test_tools::per_element());
    BOOST_TEST(third.find(key(2))->empty());
    BOOST_TEST(!third.find(key(3)));
}

BOOST_AUTO_TEST_CASE(a_torn_line_counts_as_never_written)
{
    const test::ScratchFile file;
    {
        TokenStore store(file.path());
        store.put(key(1), one_two);
        store.flush();
    }
    append(file.path(), "{\"key\":\"" + key(2) + "\",\"tokens\":[1,2");
    {
        TokenStore store(file.path());
        BOOST_TEST(!store.find(key(2)));
        store.put(key(3), one_two);
        store.flush();
    }
    TokenStore store(file.path());
    BOOST_TEST((store.find(key(1)) && store.find(key(3))));
    BOOST_TEST(!store.find(key(2)));
}

BOOST_AUTO_TEST_CASE(lines_that_are_not_understood_count_as_never_written)
{
    const test::ScratchFile file;
    {
        TokenStore store(file.path());
    }
    for (const char* tokens : {"1,-2]}", "1,]}", ",1]}", "1,2", "99999999999]}", "1,2]} ", "a]}"})
        append(file.path(), "{\"key\":\"" + key(7) + "\",\"tokens\":[" + tokens + "\n");
    append(file.path(),
           "{\"key\":\"short\",\"tokens\":[1]}\n\nnonsense\n" + std::string(3 << 20, 'x') + "\n");
    append(file.path(), "{\"key\":\"" + key(8) + "\",\"tokens\":[1,2]}\n");
    TokenStore store(file.path());
    BOOST_TEST(!store.find(key(7)));
    BOOST_TEST((store.find(key(8)) != std::nullopt));
}

BOOST_AUTO_TEST_CASE(another_file_is_never_written_to)
{
    const test::ScratchFile file;
    for (const char* text :
         {"{\"ts\":0,\"conv_id\":\"a\"}\n", "x", "\n", "{\"schema\":\"sloutils.tokens/1\"}"}) {
        std::ofstream(file.path(), std::ios::trunc) << text;
        BOOST_CHECK_EXCEPTION(TokenStore(file.path()), InputError, [&](const InputError& error) {
            return std::string(error.what()).starts_with(file.path() + ":1: not a token cache");
        });
        BOOST_TEST(text_of(file.path()) == text);
    }
    BOOST_CHECK_THROW(TokenStore("/nowhere/cache"), IoError);
    BOOST_CHECK_THROW(TokenStore("/dev/null"), InputError);
}
