#include "host/questions_json.h"

#include <type_traits>

#include "report/study_file.h"
#include "run/record_json.h"

namespace mmapscope {
namespace {

// The members of each type, by one list for writing and reading.
template <class V>
void visit(V& v, FileQuestion& q) {
    v("path", q.path);
    v("workload", q.workload);
    v("workload_params", q.workloadParameters);
}
template <class V>
void visit(V& v, StorageLayer& layer) {
    v("depth", layer.depth);
    v("name", layer.name);
    v("kind", layer.kind);
    v("rotational", layer.rotational);
    v("scheduler", layer.scheduler);
    v("write_cache", layer.writeCache);
    v("logical_block", layer.logicalBlock);
    v("physical_block", layer.physicalBlock);
    v("largest_request", layer.largestRequest);
}
template <class V>
void visit(V& v, FileFacts& f) {
    v("path", f.path);
    v("bytes", f.bytes);
    v("allocated", f.allocated);
    v("writable", f.writable);
    v("owned", f.owned);
    v("filesystem", f.filesystem);
    v("mount_point", f.mountPoint);
    v("mount_options", f.mountOptions);
    v("device", f.device);
    v("storage", f.storage, StorageClass::unknown);
    v("storage_reason", f.storageReason);
    v("read_ahead", f.readAhead);
    v("layers", f.layers);
    v("left_out", f.leftOut);
}
template <class V>
void visit(V& v, Machine& machine) {
    v("cores", machine.cores);
    v("memory", machine.memory);
}
template <class V>
void visit(V& v, ArmRequest& arm) {
    v("source", arm.source);
    v("params", arm.sourceParameters);
    v("threads", arm.threads);
}
template <class V>
void visit(V& v, FileAnswer& a) {
    v("file", a.file);
    v("folder_files", a.folderFiles);
    v("machine", a.machine);
    v("workload", a.workload);
    v("why_workload", a.whyWorkload);
    v("workload_hint", a.workloadHint);
    v("description", a.description);
    v("arms", a.arms);
    v("threads", a.threads);
}
template <class V>
void visit(V& v, ArmsQuestion& q) {
    v("path", q.path);
    v("workload", q.workload);
    v("workload_params", q.workloadParameters);
    v("limit", q.limit);
    v("threads", q.threads);
    v("arms", q.arms);
}
template <class V>
void visit(V& v, Availability& a) {
    v("available", a.available);
    v("reason", a.reason);
    v("unlock", a.unlock);
    v("huge_pages", a.hugePages);
}
template <class V>
void visit(V& v, ArmsAnswer& a) {
    v("usable", a.usable);
    v("sentence", a.sentence);
    v("arms", a.arms);
}
template <class V>
void visit(V& v, ResidencyQuestion& q) {
    v("path", q.path);
}
template <class V>
void visit(V& v, ResidencyNow& r) {
    v("resident", r.whole.resident);
    v("dirty", r.whole.dirty);
    v("total", r.whole.total);
    v("dirty_known", r.whole.dirtyKnown);
    v("parts", r.parts);
}
template <class V>
void visit(V& v, PrepareQuestion& q) {
    v("path", q.path);
    v("state", q.state, CacheState::asis);
}
template <class V>
void visit(V& v, CacheFacts& c) {
    v("state", c.state, CacheState::asis);
    v("reached", c.reached);
    v("reason", c.reason);
    v("resident_before", c.residentBefore);
    v("resident_after", c.residentAfter);
    v("folio_hint", c.folioHint);
}
template <class V>
void visit(V& v, ReportQuestion& q) {
    v("what", q.what, ReportQuestion::What::arms);
    v("path", q.path);
    v("json", q.json);
}
template <class V>
void visit(V& v, StudyRequest& r) {
    v("file", r.file);
    v("workload", r.workload);
    v("workload_params", r.workloadParameters);
    v("arms", r.arms);
    v("rounds", r.rounds);
    v("warmups", r.warmups);
    v("seed", r.orderSeed);
    v("cache", r.cache, CacheState::asis);
    v("isolation", r.isolation, Isolation::inProcess);
    v("limit", r.limit);
    v("memory_cap", r.memoryCap);
    v("baseline", r.baseline);
    v("samples", r.samples);
    v("trace_faults", r.traceFaults);
    v("why", r.why);
    v("pin", r.pinCpus);
}
template <class V>
void visit(V& v, StudyOrder& o) {
    v("kind", o.kind, OrderKind::resumedSweep);
    v("study", o.request.study);
    v("sizes", o.request.sizes);
    v("more_points", o.request.morePoints);
}
template <class V>
void visit(V& v, Progress& p) {
    v("stage", p.stage, StudyStage::explaining);
    v("phase", p.phase, Phase::measured);
    v("arm", p.arm);
    v("round", p.round);
    v("rounds", p.rounds);
    v("fraction", p.fraction);
    v("left", p.left);
    v("observer", p.observerFraction);
    v("prepared", p.prepared);
    v("remark", p.remark);
    v("size", p.size);
}
template <class V>
void visit(V& v, Error& e) {
    v("kind", e.kind, ErrorKind::failed);
    v("message", e.message);
}

class Writer {
  public:
    template <class T>
    void operator()(const char* key, T& value) {
        json[key] = of(value);
    }
    template <class E>
    void operator()(const char* key, E& value, E) {
        json[key] = static_cast<unsigned>(value);
    }

    template <class T>
    static Json of(T& value) {
        if constexpr (std::is_same_v<T, std::string>) {
            return rawTextToJson(value);
        } else if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, Nanoseconds>) {
            return value.count();
        } else if constexpr (std::is_same_v<T, Parameters>) {
            return parametersToJson(value);
        } else if constexpr (std::is_arithmetic_v<T>) {
            return value;
        } else if constexpr (requires { value.has_value(); }) {
            return value ? of(*value) : Json();
        } else if constexpr (requires { value.push_back(value.front()); }) {
            Json list = Json::array();
            for (auto& one : value) {
                list.push_back(of(one));
            }
            return list;
        } else {
            Writer inner;
            visit(inner, value);
            return std::move(inner.json);
        }
    }

    Json json = Json::object();
};

class Reader {
  public:
    Reader(const Json& json, std::string where) : json_(json), reader_(json, std::move(where)) {}

    template <class T>
    void operator()(const char* key, T& value) {
        if constexpr (requires { value.has_value(); }) {
            reader_.optional(key, value);
        } else if constexpr (std::is_same_v<T, Parameters>) {
            if (const Json* params = part(key, reader_.object(key))) {
                keep(parametersFromJson(*params, reader_.placeOf(key)), value);
            }
        } else if constexpr (std::is_same_v<T, std::vector<float>>) {
            std::vector<double> numbers;
            reader_.required(key, numbers);
            value.assign(numbers.begin(), numbers.end());
        } else if constexpr (std::is_same_v<T, std::vector<ArmRequest>> ||
                             std::is_same_v<T, std::vector<Availability>> ||
                             std::is_same_v<T, std::vector<StorageLayer>>) {
            if (const Json* list = part(key, reader_.array(key))) {
                for (const Json& one : *list) {
                    keep(read<typename T::value_type>(one, reader_.placeOf(key)), value.emplace_back());
                }
            }
        } else if constexpr (std::is_class_v<T> && requires(Reader & r) { visit(r, value); }) {
            if (const Json* inner = part(key, reader_.object(key))) {
                keep(read<T>(*inner, reader_.placeOf(key)), value);
            }
        } else {
            reader_.required(key, value);
        }
    }
    template <class E>
    void operator()(const char* key, E& value, E most) {
        unsigned number = 0;
        reader_.required(key, number);
        if (number > static_cast<unsigned>(most)) {
            reader_.wrong(key, "has an unknown value");
        } else {
            value = static_cast<E>(number);
        }
    }

    template <class T>
    static Result<T> read(const Json& json, std::string where) {
        T value;
        Reader reader(json, std::move(where));
        visit(reader, value);
        return reader.reader_.status().map([&] { return std::move(value); });
    }

  private:
    const Json* part(const char* key, const Json* there) {
        if (there == nullptr && reader_.status()) {
            reader_.wrong(key, "is missing");
        }
        return there;
    }
    template <class T>
    void keep(Result<T> read, T& value) {
        if (read) {
            value = std::move(*read);
        } else {
            reader_.adopt(tl::unexpected(read.error()));
        }
    }

    const Json& json_;
    JsonReader reader_;
};

template <class T>
Json written(const T& value) {
    T copy = value;
    return Writer::of(copy);
}

}  // namespace

template <class T>
Result<T> fromJson(const Json& json) {
    return Reader::read<T>(json, "message");
}

#define MMAPSCOPE_MESSAGE(Type)        \
    Json toJson(const Type& message) { \
        return written(message);       \
    }                                  \
    template Result<Type> fromJson<Type>(const Json& json)

MMAPSCOPE_MESSAGE(FileQuestion);
MMAPSCOPE_MESSAGE(FileAnswer);
MMAPSCOPE_MESSAGE(ArmsQuestion);
MMAPSCOPE_MESSAGE(ArmsAnswer);
MMAPSCOPE_MESSAGE(ResidencyQuestion);
MMAPSCOPE_MESSAGE(ResidencyNow);
MMAPSCOPE_MESSAGE(PrepareQuestion);
MMAPSCOPE_MESSAGE(CacheFacts);
MMAPSCOPE_MESSAGE(ReportQuestion);
MMAPSCOPE_MESSAGE(StudyOrder);
MMAPSCOPE_MESSAGE(Progress);
MMAPSCOPE_MESSAGE(Error);

#undef MMAPSCOPE_MESSAGE

std::string bareStudyToText(const Study& study, const std::string& ownName) {
    // By name, so that a new member can't be forgotten here: runs with all their samples aren't copied.
    const auto& [title, note, environment, plan, arms, runs, summary, attribution, splitRuns, sweep,
                 crossovers, warnings, complete] = study;
    Study bare{title,       note,      environment, plan,       arms,     {},      summary,
               attribution, splitRuns, sweep,       crossovers, warnings, complete};
    bare.environment.host = ownName;
    return studyToJson(bare);
}

}  // namespace mmapscope
