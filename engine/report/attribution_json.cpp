#include "report/attribution_json.h"

#include <fmt/format.h>

#include "run/record_json.h"

namespace mmapscope {
namespace {

Json timesToJson(const std::vector<AttributedTime>& times, bool withInside) {
    Json json = Json::array();
    for (const AttributedTime& time : times) {
        Json one = Json::object();
        one["name"] = time.name;
        one["ns"] = time.time.count();
        one["basis"] = time.basis;
        if (withInside) {
            one["inside"] = timesToJson(time.inside, false);
        }
        json.push_back(std::move(one));
    }
    return json;
}

Status readTimes(const Json& json, const std::string& where, std::vector<AttributedTime>& out,
                 bool withInside) {
    for (std::size_t i = 0; i < json.size(); ++i) {
        AttributedTime time;
        JsonReader reader(json[i], fmt::format("{}[{}]", where, i));
        reader.required("name", time.name);
        reader.required("ns", time.time);
        reader.optional("basis", time.basis);
        if (const Json* inside = withInside ? reader.array("inside") : nullptr) {
            reader.adopt(readTimes(*inside, reader.placeOf("inside"), time.inside, false));
        }
        if (const Status status = reader.status(); !status) {
            return status;
        }
        out.push_back(std::move(time));
    }
    return {};
}

}  // namespace

Json attributionToJson(const Attribution& attribution) {
    Json json = Json::object();
    json["arm"] = attribution.arm;
    json["wall_ns"] = attribution.wall.count();
    json["parts"] = timesToJson(attribution.parts, true);
    json["unexplained_ns"] = attribution.unexplained.count();
    json["sentence"] = attribution.sentence;
    return json;
}

Result<Attribution> attributionFromJson(const Json& json, const std::string& where) {
    Attribution attribution;
    JsonReader reader(json, where);
    reader.required("arm", attribution.arm);
    reader.required("wall_ns", attribution.wall);
    if (const Json* parts = reader.array("parts")) {
        reader.adopt(readTimes(*parts, reader.placeOf("parts"), attribution.parts, true));
    }
    reader.required("unexplained_ns", attribution.unexplained);
    reader.optional("sentence", attribution.sentence);
    return reader.status().map([&] { return std::move(attribution); });
}

Json splitRunToJson(const SplitRun& run) {
    Json json = Json::object();
    json["source"] = run.source;
    json["params"] = parametersToJson(run.sourceParameters);
    json["threads"] = run.threads;
    json["workload"] = run.workload;
    json["round"] = run.round;
    json["wall_ns"] = run.wall.count();
    json["minor_faults"] = run.minorFaults;
    json["major_faults"] = run.majorFaults;
    json["split"] = splitToJson(run.split);
    return json;
}

Result<SplitRun> splitRunFromJson(const Json& json, const std::string& where) {
    SplitRun run;
    JsonReader reader(json, where);
    reader.required("source", run.source);
    reader.required("threads", run.threads);
    reader.required("workload", run.workload);
    reader.optional("round", run.round);
    reader.required("wall_ns", run.wall);
    reader.optional("minor_faults", run.minorFaults);
    reader.optional("major_faults", run.majorFaults);
    if (const Json* parameters = reader.object("params")) {
        if (auto read = parametersFromJson(*parameters, reader.placeOf("params"))) {
            run.sourceParameters = std::move(*read);
        } else {
            reader.adopt(tl::unexpected(read.error()));
        }
    }
    if (const Json* split = reader.object("split")) {
        if (auto read = splitFromJson(*split, reader.placeOf("split"))) {
            run.split = *read;
        } else {
            reader.adopt(tl::unexpected(read.error()));
        }
    }
    return reader.status().map([&] { return std::move(run); });
}

}  // namespace mmapscope
