// SPDX-License-Identifier: MIT
// Any file is a token cache that keeps what is put into it, or is left as it is.

#include <slo/tokens/token_store.hpp>

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

const std::string key_a(64, 'a');
const std::string key_b(64, 'b');

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace slo;
    const std::string before(reinterpret_cast<const char*>(data), size);
    const io::Fd file(::memfd_create("store", MFD_CLOEXEC));
    io::write_all(file, before, "store");
    const auto path = "/proc/self/fd/" + std::to_string(file.get());
    try {
        tokens::TokenStore store(path);
        store.find(key_a);
        store.put(key_b, {7, 8});
        store.flush();
    } catch (const InputError&) {
        require(io::read_all(path, size + 1) == before);
        return 0;
    }
    tokens::TokenStore store(path);
    const auto kept = store.find(key_b);
    require(kept && *kept == tokens::TokenList{7, 8});
    return 0;
}
