#include "workload/torrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace mmapscope {
namespace {

void append(std::string& to, std::string_view text) {
    fmt::format_to(std::back_inserter(to), "{}:{}", text.size(), text);
}

void appendFile(std::string& to, const FileMember& member, Bytes length) {
    fmt::format_to(std::back_inserter(to), "d6:lengthi{}e4:pathl", length.count());
    std::string_view rest = member.path;
    for (;;) {
        const std::size_t slash = rest.find('/');
        append(to, rest.substr(0, slash));
        if (slash == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(slash + 1);
    }
    to += "ee";
}

}  // namespace

std::string infoHead(const TorrentContent& content, std::uint64_t pieces) {
    constexpr std::size_t kDigest = 20;
    // A dictionary's keys are sorted: "files" or "length", "name", "piece length", "pieces".
    std::string head = "d";
    if (content.members.empty()) {
        fmt::format_to(std::back_inserter(head), "6:lengthi{}e", content.length.count());
    } else {
        const bool complete = content.members.back().range().end == content.length;
        head += "5:filesl";
        for (const FileMember& member : content.members) {
            if (complete || member.begin < content.length) {
                appendFile(head, member, std::min(member.stamp.size, content.length - member.begin));
            }
        }
        head += "e";
    }
    head += "4:name";
    append(head, content.name);
    fmt::format_to(std::back_inserter(head), "12:piece lengthi{}e6:pieces{}:", content.piece.count(),
                   pieces * kDigest);
    return head;
}

}  // namespace mmapscope
