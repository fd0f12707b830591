// The BitTorrent v1 metainfo of what `pieces` hashed (BEP 3).
#pragma once

#include <span>
#include <string>

#include "core/units.h"
#include "probe/file_facts.h"

namespace mmapscope {

struct TorrentContent {
    std::string name;                     ///< of the file, or of the folder
    Bytes length;                         ///< of all that is hashed
    Bytes piece;                          ///< length of a piece
    std::span<const FileMember> members;  ///< of a folder; empty for a file
};

/// The info dictionary up to the pieces' hashes, of which there are `pieces`; after them it ends with "e".
/// Of a folder it lists the files in their order, empty ones too; where `length` ends before the last file
/// does, what lies behind is left out.
[[nodiscard]] std::string infoHead(const TorrentContent& content, std::uint64_t pieces);

}  // namespace mmapscope
