// What is sent to a worker.
#include <fmt/format.h>

#include "run/record_json.h"

namespace mmapscope {
namespace {

constexpr Phase kPhases[] = {Phase::inspection, Phase::warmup, Phase::measured};

Json timeToJson(const timespec& time) {
    return Json::array({static_cast<std::int64_t>(time.tv_sec), static_cast<std::int64_t>(time.tv_nsec)});
}

void readTime(JsonReader& reader, std::string_view key, timespec& out) {
    std::vector<std::int64_t> parts;
    reader.required(key, parts);
    if (parts.size() == 2) {
        out.tv_sec = parts[0];
        out.tv_nsec = parts[1];
    } else {
        reader.wrong(key, "is not [seconds, nanoseconds]");
    }
}

}  // namespace

Json stampToJson(const FileStamp& stamp) {
    Json json = Json::object();
    json["device"] = static_cast<std::uint64_t>(stamp.device);
    json["inode"] = static_cast<std::uint64_t>(stamp.inode);
    json["size"] = stamp.size.count();
    json["modified"] = timeToJson(stamp.modified);
    json["changed"] = timeToJson(stamp.changed);
    return json;
}

Status readStamp(const Json& json, std::string where, FileStamp& stamp) {
    JsonReader reader(json, std::move(where));
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    reader.required("device", device);
    reader.required("inode", inode);
    reader.required("size", stamp.size);
    readTime(reader, "modified", stamp.modified);
    readTime(reader, "changed", stamp.changed);
    stamp.device = static_cast<dev_t>(device);
    stamp.inode = static_cast<ino_t>(inode);
    return reader.status();
}

namespace {

Json membersToJson(const std::vector<FileMember>& members) {
    Json json = Json::array();
    for (const FileMember& member : members) {
        Json one = stampToJson(member.stamp);
        one["path"] = rawTextToJson(member.path);
        json.push_back(std::move(one));
    }
    return json;
}

Status readMembers(const Json& json, std::string_view where, std::vector<FileMember>& members) {
    Bytes begin;
    for (const Json& one : json) {
        FileMember& member = members.emplace_back();
        const std::string place = fmt::format("{}[{}]", where, members.size() - 1);
        JsonReader reader(one, place);
        reader.required("path", member.path);
        reader.adopt(readStamp(one, place, member.stamp));
        if (const Status status = reader.status(); !status) {
            return status;
        }
        member.begin = begin;
        begin += member.stamp.size;
    }
    return {};
}

Status readRanges(const Json& json, const std::string& where, std::vector<Range>& ranges) {
    std::vector<std::uint64_t> edges;
    Json holder = Json::object();
    for (const Json& pair : json) {
        holder["range"] = pair;
        JsonReader reader(holder, where);
        reader.required("range", edges);
        if (!reader.status()) {
            return reader.status();
        }
        if (edges.size() != 2 || edges[0] > edges[1]) {
            return fail(ErrorKind::input, where + " holds something that is not [begin, end]");
        }
        ranges.push_back({Bytes(edges[0]), Bytes(edges[1])});
    }
    return {};
}

}  // namespace

Json toJson(const RunRequest& request) {
    Json json = Json::object();
    json["path"] = rawTextToJson(request.path);
    json["stamp"] = stampToJson(request.stamp);
    if (!request.members.empty()) {
        json["members"] = membersToJson(request.members);
    }
    json["ranges"] = Json::array();
    for (const Range& range : request.ranges) {
        json["ranges"].push_back(Json::array({range.begin.count(), range.end.count()}));
    }
    json["source"] = request.source;
    json["source_params"] = parametersToJson(request.sourceParameters);
    json["workload"] = request.workload;
    json["workload_params"] = parametersToJson(request.workloadParameters);
    json["phase"] = name(request.phase);
    json["sampling"] = request.sampling;
    json["sample_period_ns"] = request.samplePeriod.count();
    json["pin_cpus"] = request.pinCpus;
    json["trace_faults"] = request.traceFaults;
    json["split_time"] = request.splitTime;
    json["memory_cap_bytes"] = request.memoryCap ? Json(request.memoryCap->count()) : Json();
    json["warm_first"] = request.warmFirst;
    return json;
}

Result<RunRequest> runRequestFromJson(const Json& json) {
    RunRequest request;
    JsonReader reader(json, "request");
    reader.required("path", request.path);
    if (const Json* stamp = reader.object("stamp")) {
        reader.adopt(readStamp(*stamp, "request.stamp", request.stamp));
    } else {
        reader.wrong("stamp", "is missing");
    }
    if (json.contains("members")) {
        if (const Json* members = reader.array("members")) {
            reader.adopt(readMembers(*members, "request.members", request.members));
        }
    }
    if (const Json* ranges = reader.array("ranges")) {
        reader.adopt(readRanges(*ranges, "request.ranges", request.ranges));
    }
    reader.required("source", request.source);
    reader.required("workload", request.workload);
    const auto parameters = [&reader](const char* key, Parameters& out) {
        if (const Json* object = reader.object(key)) {
            if (auto read = parametersFromJson(*object, reader.placeOf(key))) {
                out = std::move(*read);
            } else {
                reader.adopt(tl::unexpected(read.error()));
            }
        }
    };
    parameters("source_params", request.sourceParameters);
    parameters("workload_params", request.workloadParameters);
    reader.requiredChoice("phase", request.phase, kPhases);
    reader.required("sampling", request.sampling);
    reader.required("sample_period_ns", request.samplePeriod);
    reader.optional("pin_cpus", request.pinCpus);
    reader.optional("trace_faults", request.traceFaults);
    reader.optional("split_time", request.splitTime);
    reader.optional("memory_cap_bytes", request.memoryCap);
    reader.optional("warm_first", request.warmFirst);
    return reader.status().map([&] { return std::move(request); });
}

}  // namespace mmapscope
