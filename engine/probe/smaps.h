// /proc/PID/smaps (proc_pid_smaps(5)): how the mappings of a process are backed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/unique_fd.h"
#include "core/units.h"
#include "probe/vm_flags.h"

namespace mmapscope {

/// "55a8d7e52000-55a8d7e54000 r--p 00000000 fe:00 247134   /usr/bin/cat". The views point into the line.
struct MappingHeader {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string_view permissions;
    std::uint64_t offset = 0;
    std::string_view device;  ///< "fe:00", hexadecimal
    std::uint64_t inode = 0;
    std::string_view rawPath;  ///< as written; see mappingPath
};
/// nullopt for any other line, so also for a mapping's fields. Also reads /proc/PID/maps. Allocates nothing.
[[nodiscard]] std::optional<MappingHeader> parseMappingHeader(std::string_view line) noexcept;

struct MappingPath {
    std::string path;
    bool deleted = false;  ///< the kernel's " (deleted)" was there; a file may also be named so
};
/// Only newlines are escaped there (as \012); blanks and backslashes are not.
[[nodiscard]] MappingPath mappingPath(std::string_view rawPath);

/// What smaps says of one mapping or, added up, of several. Absent: this kernel doesn't say (old kernels have
/// no THPeligible, none says FilePmdMapped before 5.4, and so on).
struct MappingFigures {
    std::optional<Bytes> size, rss, pss;
    std::optional<Bytes> privateClean, privateDirty, sharedClean, sharedDirty;
    std::optional<Bytes> anonymous, swap, locked;
    std::optional<Bytes> anonHuge, shmemPmdMapped, filePmdMapped;
    std::optional<Bytes> sharedHugetlb, privateHugetlb;
    std::optional<Bytes> kernelPage, mmuPage;  ///< added up: the largest
    std::optional<bool> thpEligible;           ///< added up: whether any is
    std::optional<VmFlags> vmFlags;            ///< added up: those that any has

    /// Shared_Hugetlb and Private_Hugetlb together.
    [[nodiscard]] std::optional<Bytes> hugetlb() const noexcept;
    void add(const MappingFigures& other) noexcept;
};
/// Takes one "Rss:  8 kB" line in. False for a key that MappingFigures doesn't know or a value it can't read.
bool takeSmapsField(MappingFigures& figures, std::string_view line) noexcept;

struct Mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string permissions;
    std::uint64_t offset = 0;
    std::string device;
    std::uint64_t inode = 0;
    MappingPath path;
    MappingFigures figures;
    std::vector<std::string> flags;                ///< VmFlags, also those this doesn't know
    std::map<std::string, std::string> otherKeys;  ///< "KSM" → "0 kB"
};
/// The whole text. Lines before the first header are left out.
[[nodiscard]] std::vector<Mapping> parseSmaps(std::string_view text);

struct AddressRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Adds up the mappings of this process that overlap given addresses. Opens and allocates in its constructor
/// only.
class SmapsReader {
  public:
    explicit SmapsReader(const char* path = "/proc/self/smaps");
    /// Sums over whole mappings (the kernel merges neighbours, so one may reach beyond the asked addresses);
    /// stops after the last address asked for. nullopt when smaps can't be read or nothing overlaps.
    /// Allocates nothing; 20 µs to 24 ms (2 GiB of small pages mapped).
    [[nodiscard]] std::optional<MappingFigures> sum(std::span<const AddressRange> ranges) noexcept;

  private:
    static constexpr std::size_t kBuffer = 32768;
    UniqueFd fd_;
    std::unique_ptr<char[]> buffer_;
};

}  // namespace mmapscope
