// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

namespace winnow::inline v0 {

/// One name that a library makes known to others.
struct elf_symbol {
    std::string name;
    bool function = false;      ///< code, not data
    bool unique = false;        ///< keeps the library in memory until the process ends
    std::uint64_t address = 0;  ///< within the library
    std::uint64_t size = 0;     ///< bytes; 0: not told
};

/// What a shared library says of itself, read from its file; nothing of it is run.
struct elf_facts {
    std::vector<elf_symbol> exported;
    std::vector<std::string> needed;  ///< names of the libraries that it needs
    std::string search_path;          ///< where it wants them looked for, first
    /// The first two numbers at the symbol that was asked for; zero where the file holds none.
    std::array<std::uint32_t, 2> stamp{};
    std::string wrong;  ///< why it cannot be loaded, and what to do; empty: nothing is known against it

    [[nodiscard]] const elf_symbol* find(std::string_view name) const noexcept {
        const auto at =
            std::find_if(exported.begin(), exported.end(), [&](const elf_symbol& one) { return one.name == name; });
        return at == exported.end() ? nullptr : &*at;
    }
};

namespace detail {

/// A file of which every read stays within its size. Read and not mapped: a file that shrinks meanwhile is no crash.
class file_bytes {
public:
    explicit file_bytes(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        struct stat facts{};
        if (file_ >= 0 && ::fstat(file_, &facts) == 0 && S_ISREG(facts.st_mode))
            size_ = static_cast<std::uint64_t>(facts.st_size);
    }
    file_bytes(const file_bytes&) = delete;
    file_bytes& operator=(const file_bytes&) = delete;
    ~file_bytes() {
        if (file_ >= 0) ::close(file_);
    }

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
        return bytes <= size_ && offset <= size_ - bytes;
    }
    [[nodiscard]] bool read(std::uint64_t offset, void* to, std::size_t bytes) const {
        if (!holds(offset, bytes)) return false;
        for (auto* at = static_cast<char*>(to); bytes > 0;) {
            const ssize_t got = ::pread(file_, at, bytes, static_cast<off_t>(offset));
            if (got <= 0) return false;
            at += got;
            offset += static_cast<std::uint64_t>(got);
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }
    template <class Record>
    [[nodiscard]] std::optional<Record> record(std::uint64_t offset) const {
        Record one;
        if (!read(offset, &one, sizeof one)) return std::nullopt;
        return one;
    }
    template <class Record>
    [[nodiscard]] bool records(std::uint64_t offset, std::uint64_t count, std::vector<Record>& to) const {
        if (count > size_ / sizeof(Record) || !holds(offset, count * sizeof(Record))) return false;
        to.resize(static_cast<std::size_t>(count));
        return count == 0 || read(offset, to.data(), to.size() * sizeof(Record));
    }
    [[nodiscard]] bool bytes(std::uint64_t offset, std::uint64_t count, std::string& to) const {
        if (!holds(offset, count)) return false;
        to.resize(static_cast<std::size_t>(count));
        return count == 0 || read(offset, to.data(), to.size());
    }

private:
    int file_;
    std::uint64_t size_ = 0;
};

/// Reads one library; each member takes the next step and tells what is wrong, or null.
class elf_reader {
public:
    using header = ElfW(Ehdr);
    using segment = ElfW(Phdr);
    using dynamic = ElfW(Dyn);
    using symbol = ElfW(Sym);

    elf_reader(const std::string& path, elf_facts& to) : file_(path), to_(to) {}

    /// @return why the file cannot be loaded, or null
    const char* read() {
        const char* wrong = read_header();
        if (wrong == nullptr) wrong = read_segments();
        if (wrong == nullptr) wrong = read_dynamic();
        if (wrong == nullptr) wrong = read_symbols();
        return wrong;
    }

    /// Bytes at an address of the library as the file holds them.
    bool read_at(std::uint64_t address, void* to, std::size_t bytes) const {
        const std::optional<std::uint64_t> offset = offset_of(address, bytes);
        return offset && file_.read(*offset, to, bytes);
    }

private:
    static constexpr const char* cut =
        "is cut off: parts that its tables name lie beyond its end. Copy or build it again, and wait until that is done.";
    static constexpr const char* broken =
        "is no library that can be loaded: its tables contradict each other. Build it again.";

    const char* read_header() {
        if (file_.size() == 0)
            return "is empty, or cannot be read. Build it again, or give this user the right to read it.";
        unsigned char ident[EI_NIDENT] = {};
        if (!file_.read(0, ident, std::min<std::size_t>(sizeof ident, static_cast<std::size_t>(file_.size()))))
            return "cannot be read. Give this user the right to read it.";
        if (std::memcmp(ident, ELFMAG, SELFMAG) != 0)
            return "is no shared library (ELF). Name the .so file that the build made.";
        const std::optional<header> found = file_.record<header>(0);
        const detail::file_bytes own_file("/proc/self/exe");
        const std::optional<header> own = own_file.record<header>(0);
        const unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
        if (ident[EI_CLASS] != own_class)
            return sizeof(void*) == 8
                       ? "is not made for a 64-bit program. Build it for the same machine as this program."
                       : "is not made for a 32-bit program. Build it for the same machine as this program.";
        if (!found) return cut;
        if (own && (found->e_ident[EI_DATA] != own->e_ident[EI_DATA] || found->e_machine != own->e_machine))
            return "is made for another kind of processor. Build it for the same machine as this program.";
        if (found->e_type == ET_EXEC)
            return "is a program and no shared library. Link it with -shared, as winnow_add_plugin does.";
        if (found->e_type == ET_REL)
            return "is an object file and no shared library. Link it with -shared, as winnow_add_plugin does.";
        if (found->e_type != ET_DYN || found->e_phentsize != sizeof(segment) || found->e_phnum == 0) return broken;
        header_ = *found;
        // The linker writes the sections last: where they are missing, the end of the file is.
        if (header_.e_shnum != 0 &&
            !file_.holds(header_.e_shoff, static_cast<std::uint64_t>(header_.e_shnum) * header_.e_shentsize))
            return cut;
        return nullptr;
    }

    const char* read_segments() {
        if (!file_.records(header_.e_phoff, header_.e_phnum, segments_)) return cut;
        for (const segment& one : segments_) {
            if (one.p_type == PT_INTERP)
                return "is a program and no shared library. Link it with -shared, as winnow_add_plugin does.";
            if (one.p_type != PT_LOAD && one.p_type != PT_DYNAMIC) continue;
            if (!file_.holds(one.p_offset, one.p_filesz)) return cut;
            if (one.p_type == PT_LOAD && (one.p_memsz < one.p_filesz || one.p_vaddr + one.p_memsz < one.p_vaddr))
                return broken;
        }
        return nullptr;
    }

    /// Where the file holds what is at an address; nothing where it holds none or not all of it.
    [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address, std::uint64_t bytes) const {
        for (const segment& one : segments_) {
            if (one.p_type != PT_LOAD || address < one.p_vaddr) continue;
            const std::uint64_t within = address - one.p_vaddr;
            if (bytes <= one.p_filesz && within <= one.p_filesz - bytes) return one.p_offset + within;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t value_of(std::int64_t tag, std::uint64_t otherwise = 0) const {
        for (const dynamic& one : dynamic_)
            if (one.d_tag == tag) return one.d_un.d_val;
        return otherwise;
    }

    const char* read_dynamic() {
        for (const segment& one : segments_) {
            if (one.p_type != PT_DYNAMIC) continue;
            if (!file_.records(one.p_offset, one.p_filesz / sizeof(dynamic), dynamic_)) return cut;
        }
        const auto end =
            std::find_if(dynamic_.begin(), dynamic_.end(), [](const dynamic& one) { return one.d_tag == DT_NULL; });
        if (end == dynamic_.end())
            return "is no shared library: it has no dynamic section. Link it with -shared, as winnow_add_plugin does.";
        dynamic_.erase(end, dynamic_.end());
        const std::optional<std::uint64_t> names = offset_of(value_of(DT_STRTAB), value_of(DT_STRSZ));
        if (!names || !file_.bytes(*names, value_of(DT_STRSZ), names_) || names_.empty() || names_.back() != '\0')
            return broken;
        // What the loader itself reads and writes without asking again.
        constexpr std::pair<std::int64_t, std::int64_t> tables[] = {
            {DT_RELA, DT_RELASZ}, {DT_REL, DT_RELSZ}, {DT_JMPREL, DT_PLTRELSZ}, {DT_RELR, DT_RELRSZ}};
        for (const auto& [table, size] : tables) {
            if (value_of(table) != 0 && !offset_of(value_of(table), value_of(size))) return broken;
        }
        for (const dynamic& one : dynamic_) {
            if (one.d_tag == DT_NEEDED) to_.needed.push_back(name_at(one.d_un.d_val));
            if (one.d_tag == DT_RUNPATH || (one.d_tag == DT_RPATH && to_.search_path.empty()))
                to_.search_path = name_at(one.d_un.d_val);
            if (one.d_tag == dynamic_flags_1 && (one.d_un.d_val & flag_program) != 0)
                return "is a program and no shared library. Link it with -shared, as winnow_add_plugin does.";
        }
        return nullptr;
    }

    [[nodiscard]] std::string name_at(std::uint64_t offset) const {
        return offset < names_.size() ? std::string(names_.c_str() + offset) : std::string();
    }

    /// Number of symbols, which only the hash tables tell; nothing when they are broken.
    [[nodiscard]] std::optional<std::uint64_t> symbol_count() const {
        if (const std::uint64_t table = value_of(DT_HASH); table != 0) {
            std::uint32_t counts[2] = {};
            if (!read_at(table, counts, sizeof counts)) return std::nullopt;
            return counts[1];
        }
        const std::uint64_t table = value_of(gnu_hash);
        std::uint32_t head[4] = {};  // buckets, first symbol, words of the filter, shift
        if (table == 0 || !read_at(table, head, sizeof head)) return std::nullopt;
        const std::uint64_t buckets_at = table + sizeof head + std::uint64_t{head[2]} * sizeof(void*);
        const std::optional<std::uint64_t> buckets = offset_of(buckets_at, std::uint64_t{head[0]} * 4);
        std::vector<std::uint32_t> firsts;
        if (!buckets || !file_.records(*buckets, head[0], firsts)) return std::nullopt;
        std::uint64_t last = 0;
        for (const std::uint32_t first : firsts) last = std::max<std::uint64_t>(last, first);
        if (last < head[1]) return head[1];
        const std::uint64_t chain = buckets_at + std::uint64_t{head[0]} * 4;
        for (;; ++last) {
            std::uint32_t word = 0;
            if (!read_at(chain + (last - head[1]) * 4, &word, sizeof word)) return std::nullopt;
            if ((word & 1U) != 0) return last + 1;
        }
    }

    const char* read_symbols() {
        const std::optional<std::uint64_t> count = symbol_count();
        std::vector<symbol> all;
        if (!count || value_of(DT_SYMENT, sizeof(symbol)) != sizeof(symbol) || *count > file_.size()) return broken;
        const std::optional<std::uint64_t> at = offset_of(value_of(DT_SYMTAB), *count * sizeof(symbol));
        if (!at || !file_.records(*at, *count, all)) return broken;
        for (const symbol& one : all) {
            // The three are spelled the same for both classes.
            const int binding = ELF64_ST_BIND(one.st_info);
            const int type = ELF64_ST_TYPE(one.st_info);
            const int visibility = ELF64_ST_VISIBILITY(one.st_other);
            if (one.st_shndx == SHN_UNDEF ||
                (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) ||
                (visibility != STV_DEFAULT && visibility != STV_PROTECTED))
                continue;
            std::string name = name_at(one.st_name);
            if (name.empty()) continue;
            to_.exported.push_back({std::move(name), type == STT_FUNC || type == STT_GNU_IFUNC,
                                    binding == STB_GNU_UNIQUE, one.st_value, one.st_size});
        }
        return nullptr;
    }

    // Not in every elf.h.
    static constexpr std::int64_t gnu_hash = 0x6ffffef5;
    static constexpr std::int64_t dynamic_flags_1 = 0x6ffffffb;
    static constexpr std::uint64_t flag_program = 0x08000000;

    file_bytes file_;
    elf_facts& to_;
    header header_{};
    std::vector<segment> segments_;
    std::vector<dynamic> dynamic_;
    std::string names_;
};

}  // namespace detail

/// Reads what a file says of itself. Everything that its tables name lies within it, unless `wrong` says otherwise: to map
/// a library that is cut off ends the process with a signal.
/// @param stamped name of the symbol whose first two numbers are read
[[nodiscard]] inline elf_facts read_elf(const std::string& path, std::string_view stamped = {}) {
    elf_facts found;
    detail::elf_reader reader(path, found);
    if (const char* wrong = reader.read(); wrong != nullptr) found.wrong = wrong;
    if (!found.wrong.empty()) return found;
    if (const elf_symbol* one = found.find(stamped))
        (void)reader.read_at(one->address, &found.stamp, sizeof found.stamp);
    return found;
}

}  // namespace winnow::inline v0
