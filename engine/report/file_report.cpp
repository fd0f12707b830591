#include "report/file_report.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text.h"
#include "probe/folios.h"
#include "probe/residency.h"

namespace mmapscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kPlaces = 64;
constexpr std::size_t kCells = 64;
constexpr std::uint64_t kMostPages = std::uint64_t{1} << 20U;

Range whole(const FileFacts& file) {
    return {Bytes(0), file.bytes};
}

Result<FolioLook> foliosOf(const FileFacts& file) {
    return lookAtFolios(file, whole(file), kPlaces);
}

/// The picture the window shows as a strip: resident pages of each of equal parts, 0 to 255.
Json residencyJson(const FileFacts& file, const Result<Residency>& now) {
    if (!now) {
        return {{"reason", now.error().message}};
    }
    Json json{{"share", now->fraction()},
              {"resident_bytes", now->resident.count()},
              {"dirty_bytes", now->dirtyKnown ? Json(now->dirty.count()) : Json()}};
    const auto picture = residencyPicture(file, kCells, kMostPages);
    Json& cells = json["cells"] = Json::array();
    if (picture) {
        for (const float share : picture->shares) {
            cells.push_back(std::lround(share * 255));
        }
        json["sampled"] = picture->sampled;
    }
    return json;
}

std::string foliosText(const Result<FolioLook>& look) {
    if (!look) {
        return "not available: " + look.error().message;
    }
    return fmt::format("{} (of {} places looked at, {})", folioText(*look), look->places,
                       look->largestFolio ? "by /proc/kpageflags" : "by what one fault maps");
}

Json orNull(const std::optional<Bytes>& value) {
    return value ? Json(value->count()) : Json();
}

Json layerJson(const StorageLayer& layer) {
    return {{"depth", layer.depth},
            {"name", layer.name},
            {"kind", layer.kind},
            {"rotational", layer.rotational ? Json(*layer.rotational) : Json()},
            {"scheduler", layer.scheduler.empty() ? Json() : Json(layer.scheduler)},
            {"write_cache", layer.writeCache.empty() ? Json() : Json(layer.writeCache)},
            {"logical_block_bytes", orNull(layer.logicalBlock)},
            {"physical_block_bytes", orNull(layer.physicalBlock)},
            {"largest_request_bytes", orNull(layer.largestRequest)}};
}

}  // namespace

std::string fileText(const FileFacts& file) {
    std::string out =
        fmt::format("This {}\n  path             {}\n  size             {}\n",
                    file.isFolder() ? "folder" : "file", printable(file.path), formatBytes(file.bytes));
    out += fmt::format("  filesystem       {} on {}, mounted at {}\n", printable(file.filesystem),
                       printable(file.device), printable(file.mountPoint));
    out += fmt::format("  storage          {}: {}\n", name(file.storage), printable(file.storageReason));
    if (file.layers.size() > 1) {
        out += fmt::format("                   {}\n", layersText(file.layers));
    }
    for (const StorageLayer& layer : file.layers) {
        out += fmt::format("                   {:{}}{}\n", "", layer.depth * 2, describe(layer));
    }
    out += fmt::format("  readahead        {}\n",
                       file.readAhead ? formatBytes(*file.readAhead) : "not available here");
    const auto residency = residencyOf(file, whole(file));
    out += residency ? fmt::format("  page cache       {:.1f} % of it{}\n", residency->fraction() * 100,
                                   residency->dirty.isZero()
                                       ? ""
                                       : fmt::format(", {} not written yet", formatBytes(residency->dirty)))
                     : fmt::format("  page cache       not available: {}\n", residency.error().message);
    return out + fmt::format("  folios           {}\n", foliosText(foliosOf(file)));
}

nlohmann::ordered_json fileJson(const FileFacts& file) {
    Json json = Json::object();
    json["path"] = printable(file.path);
    json["bytes"] = file.bytes.count();
    json["filesystem"] = file.filesystem;
    json["device"] = printable(file.device);
    json["mount_point"] = printable(file.mountPoint);
    json["storage_class"] = name(file.storage);
    json["storage_reason"] = printable(file.storageReason);
    json["read_ahead_bytes"] = orNull(file.readAhead);
    json["storage_chain"] = file.layers.empty() ? Json() : Json(layersText(file.layers));
    json["storage"] = Json::array();
    for (const StorageLayer& layer : file.layers) {
        json["storage"].push_back(layerJson(layer));
    }
    const auto residency = residencyOf(file, whole(file));
    json["resident_share"] = residency ? Json(residency->fraction()) : Json();
    json["resident_reason"] = residency ? Json() : Json(residency.error().message);
    json["residency"] = residencyJson(file, residency);
    const auto folios = foliosOf(file);
    Json& list = json["folios"] = Json::array();
    if (folios) {
        for (const auto& share : folios->sizes) {
            list.push_back({{"bytes", share.size.count()},
                            {"places", share.places},
                            {"share", double(share.places) / folios->placesTold()}});
        }
    }
    json["folios_basis"] = !folios                ? Json(folios.error().message)
                           : folios->largestFolio ? Json("kpageflags")
                                                  : Json("fault");
    return json;
}

}  // namespace mmapscope
