#include "probe/smaps.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "probe/size_fields.h"

namespace mmapscope {
namespace {

constexpr std::array<SizeField<MappingFigures>, 17> kSizes{
    {{"Size", &MappingFigures::size},
     {"KernelPageSize", &MappingFigures::kernelPage},
     {"MMUPageSize", &MappingFigures::mmuPage},
     {"Rss", &MappingFigures::rss},
     {"Pss", &MappingFigures::pss},
     {"Shared_Clean", &MappingFigures::sharedClean},
     {"Shared_Dirty", &MappingFigures::sharedDirty},
     {"Private_Clean", &MappingFigures::privateClean},
     {"Private_Dirty", &MappingFigures::privateDirty},
     {"Anonymous", &MappingFigures::anonymous},
     {"AnonHugePages", &MappingFigures::anonHuge},
     {"ShmemPmdMapped", &MappingFigures::shmemPmdMapped},
     {"FilePmdMapped", &MappingFigures::filePmdMapped},
     {"Shared_Hugetlb", &MappingFigures::sharedHugetlb},
     {"Private_Hugetlb", &MappingFigures::privateHugetlb},
     {"Swap", &MappingFigures::swap},
     {"Locked", &MappingFigures::locked}}};

bool isPageSize(const SizeField<MappingFigures>& field) {
    return field.member == &MappingFigures::kernelPage || field.member == &MappingFigures::mmuPage;
}

bool overlaps(const MappingHeader& header, std::span<const AddressRange> ranges) noexcept {
    return std::any_of(ranges.begin(), ranges.end(), [&header](const AddressRange& range) {
        return header.begin < range.end && range.begin < header.end;
    });
}

}  // namespace

std::optional<MappingHeader> parseMappingHeader(std::string_view line) noexcept {
    Fields fields(line);
    const std::string_view addresses = fields.next();
    const std::size_t dash = addresses.find('-');
    if (dash == std::string_view::npos) {
        return std::nullopt;
    }
    constexpr int kHex = 16;
    const auto begin = parseUnsigned(addresses.substr(0, dash), kHex);
    const auto end = parseUnsigned(addresses.substr(dash + 1), kHex);
    MappingHeader header;
    header.permissions = fields.next();
    const auto offset = parseUnsigned(fields.next(), kHex);
    header.device = fields.next();
    const auto inode = parseUnsigned(fields.next());
    if (!begin || !end || !offset || !inode || header.device.find(':') == std::string_view::npos) {
        return std::nullopt;
    }
    header.begin = *begin;
    header.end = *end;
    header.offset = *offset;
    header.inode = *inode;
    header.rawPath = fields.rest();
    return header;
}

MappingPath mappingPath(std::string_view rawPath) {
    MappingPath result;
    constexpr std::string_view kDeleted = " (deleted)";
    if (rawPath.ends_with(kDeleted)) {
        result.deleted = true;
        rawPath.remove_suffix(kDeleted.size());
    }
    constexpr std::string_view kNewline = "\\012";
    for (std::size_t at = rawPath.find(kNewline); at != std::string_view::npos; at = rawPath.find(kNewline)) {
        result.path += rawPath.substr(0, at);
        result.path += '\n';
        rawPath.remove_prefix(at + kNewline.size());
    }
    result.path += rawPath;
    return result;
}

std::optional<Bytes> MappingFigures::hugetlb() const noexcept {
    if (!sharedHugetlb || !privateHugetlb) {
        return std::nullopt;
    }
    return *sharedHugetlb + *privateHugetlb;
}

void MappingFigures::add(const MappingFigures& other) noexcept {
    for (const auto& field : kSizes) {
        auto& mine = this->*(field.member);
        const auto& theirs = other.*(field.member);
        if (!theirs) {
            continue;
        }
        mine = !mine ? *theirs : isPageSize(field) ? std::max(*mine, *theirs) : *mine + *theirs;
    }
    if (other.thpEligible) {
        thpEligible = thpEligible.value_or(false) || *other.thpEligible;
    }
    if (other.vmFlags) {
        vmFlags = vmFlags.value_or(0) | *other.vmFlags;
    }
}

bool takeSmapsField(MappingFigures& figures, std::string_view line) noexcept {
    const auto entry = splitAtColon(line);
    if (!entry) {
        return false;
    }
    const auto [key, value] = *entry;
    if (key == "THPeligible") {
        const auto number = parseUnsigned(trimmed(value));
        if (number) {
            figures.thpEligible = *number != 0;
        }
        return number.has_value();
    }
    if (key == "VmFlags") {
        figures.vmFlags = parseVmFlags(value);
        return true;
    }
    const auto* const field = findSizeField(kSizes, key);
    if (field == nullptr) {
        return false;
    }
    const auto bytes = parseKib(value);
    if (bytes) {
        figures.*(field->member) = *bytes;
    }
    return bytes.has_value();
}

std::vector<Mapping> parseSmaps(std::string_view text) {
    std::vector<Mapping> mappings;
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (const auto header = parseMappingHeader(*line)) {
            mappings.push_back({header->begin,
                                header->end,
                                std::string(header->permissions),
                                header->offset,
                                std::string(header->device),
                                header->inode,
                                mappingPath(header->rawPath),
                                MappingFigures{},
                                {},
                                {}});
            continue;
        }
        const auto entry = splitAtColon(*line);
        if (mappings.empty() || !entry) {
            continue;
        }
        const std::string_view value = trimmed(entry->value);
        if (takeSmapsField(mappings.back().figures, *line)) {
            Fields flags(entry->key == "VmFlags" ? value : std::string_view());
            for (std::string_view flag = flags.next(); !flag.empty(); flag = flags.next()) {
                mappings.back().flags.emplace_back(flag);
            }
        } else {
            mappings.back().otherKeys.emplace(entry->key, value);
        }
    }
    return mappings;
}

SmapsReader::SmapsReader(const char* path)
    : fd_(::open(path, O_RDONLY | O_CLOEXEC)), buffer_(std::make_unique<char[]>(kBuffer)) {}

std::optional<MappingFigures> SmapsReader::sum(std::span<const AddressRange> ranges) noexcept {
    if (!fd_ || ranges.empty() || ::lseek(fd_.get(), 0, SEEK_SET) != 0) {
        return std::nullopt;
    }
    std::uint64_t last = 0;
    for (const AddressRange& range : ranges) {
        last = std::max(last, range.end);
    }
    MappingFigures total;
    MappingFigures current;
    bool inside = false;  // the mapping whose fields come now is one of ours
    bool any = false;
    std::size_t held = 0;
    const auto take = [&](std::string_view line) {  // false: past everything asked for
        if (const auto header = parseMappingHeader(line)) {
            if (inside) {
                total.add(current);
            }
            current = MappingFigures{};
            inside = overlaps(*header, ranges);
            any = any || inside;
            return header->begin < last;
        }
        if (inside) {
            takeSmapsField(current, line);
        }
        return true;
    };
    for (bool more = true; more;) {
        const ssize_t got = ::read(fd_.get(), buffer_.get() + held, kBuffer - held);
        if (got < 0) {
            return std::nullopt;
        }
        held += static_cast<std::size_t>(got);
        std::string_view text(buffer_.get(), held);
        for (std::size_t end = text.find('\n'); more && end != std::string_view::npos;
             end = text.find('\n')) {
            more = take(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
        if (got == 0) {
            if (more && !text.empty()) {
                take(text);  // a last line without its newline
            }
            break;
        }
        if (text.size() == kBuffer) {
            return std::nullopt;  // no line of smaps is that long
        }
        held = text.size();
        std::memmove(buffer_.get(), text.data(), held);
    }
    if (inside) {
        total.add(current);
    }
    return any ? std::optional(total) : std::nullopt;
}

}  // namespace mmapscope
