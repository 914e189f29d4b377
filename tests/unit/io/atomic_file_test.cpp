// SPDX-License-Identifier: MIT
#include <slo/io/atomic_file.hpp>

#define BOOST_TEST_MODULE io_atomic_file
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {
using namespace slo;
namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::temp_directory_path() / ("slo_atomic_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const char* name) const { return (path / name).string(); }
    auto files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string text_of(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

BOOST_AUTO_TEST_CASE(is_there_only_after_commit)
{
    const Folder folder;
    io::AtomicFile file(folder / "a");
    file.write("one ");
    file.write("two");
    BOOST_TEST(!fs::exists(folder / "a"));
    BOOST_TEST(text_of(file.partial_path()) == "one two");
    file.commit();
    BOOST_TEST(file.partial_path() == "");
    BOOST_TEST(text_of(folder / "a") == "one two");
    BOOST_TEST(folder.files() == 1);
}

BOOST_AUTO_TEST_CASE(without_commit_the_old_file_stays_and_nothing_is_left_behind)
{
    const Folder folder;
    std::ofstream(folder / "a") << "old";
    {
        io::AtomicFile file(folder / "a");
        file.write("new");
    }
    BOOST_TEST(text_of(folder / "a") == "old");
    BOOST_TEST(folder.files() == 1);
}

BOOST_AUTO_TEST_CASE(keeps_the_mode_of_the_file_and_the_link_to_it)
{
    const Folder folder;
    std::ofstream(folder / "a") << "old";
    ::chmod((folder / "a").c_str(), 0640);
    fs::create_symlink("a", folder / "link");
    io::AtomicFile file(folder / "link");
    file.write("new");
    file.commit();
    BOOST_TEST(fs::is_symlink(folder / "link"));
    BOOST_TEST(text_of(folder / "a") == "new");
    struct stat info = {};
    ::stat((folder / "a").c_str(), &info);
    BOOST_TEST((info.st_mode & 0777) == 0640);
}

BOOST_AUTO_TEST_CASE(a_new_file_has_the_mode_that_the_umask_leaves)
{
    const Folder folder;
    const auto before = ::umask(027);
    io::AtomicFile file(folder / "a");
    file.commit();
    ::umask(before);
    struct stat info = {};
    ::stat((folder / "a").c_str(), &info);
    BOOST_TEST((info.st_mode & 0777) == 0640);
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_missing_is_not_made)
{
    const Folder folder;
    BOOST_CHECK_EXCEPTION(io::AtomicFile{folder / "sub/a"}, IoError,
                          [](const auto& error) { return error.error_number() == ENOENT; });
    BOOST_TEST(folder.files() == 0);
}

BOOST_AUTO_TEST_CASE(a_copy_is_refused_before_it_is_made)
{
    const Folder folder;
    BOOST_CHECK_THROW(io::check_copy("--report", "-"), UsageError);
    BOOST_CHECK_THROW(io::check_copy("--report", folder / "sub/a"), IoError);
    BOOST_CHECK_THROW(io::check_copy("--report", folder / ""), IoError);
    io::check_copy("--report", "");
    io::check_copy("--report", folder / "a");
    ::mkfifo((folder / "pipe").c_str(), 0600);
    io::check_copy("--report", folder / "pipe"); // without a reader it would wait for ever
    BOOST_TEST(folder.files() == 1);
}

BOOST_AUTO_TEST_CASE(a_device_is_written_to_and_not_replaced)
{
    io::AtomicFile null("/dev/null");
    null.write("x");
    null.commit();
    BOOST_TEST(fs::is_character_file("/dev/null"));
    io::AtomicFile full("/dev/full");
    BOOST_CHECK_THROW(full.write("x"), IoError);
}

BOOST_AUTO_TEST_CASE(a_place_that_cannot_be_written_is_an_error_that_names_it)
{
    const Folder folder;
    std::ofstream(folder / "a") << "";
    try {
        io::AtomicFile file(folder / "a/b");
        BOOST_ERROR("no exception");
    } catch (const IoError& error) {
        BOOST_TEST(std::string(error.what()) == (folder / "a/b") + ": Not a directory");
    }
}
} // namespace
