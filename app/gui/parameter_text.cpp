#include "app/gui/parameter_text.h"

#include <QCoreApplication>
#include <QStringList>

#include "core/text.h"

namespace mmapscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("mmapscope::Parameters", text);
}

}  // namespace

QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

Parameters defaultParameters(const std::vector<ParameterSpec>& specs) {
    // A registry's own defaults always parse: the engine's tests hold that.
    return parseParameters(specs, "").value_or(Parameters{});
}

QString valueInShort(const ParameterSpec& spec, const std::string& value) {
    if (spec.kind == ParameterKind::bytes) {
        if (const auto bytes = parseBytes(value)) {
            return QString::fromStdString(formatBytes(*bytes));
        }
    }
    return QString::fromStdString(value);
}

QString valuesInShort(const std::vector<ParameterSpec>& specs, const Parameters& parameters) {
    QStringList values;
    for (const ParameterSpec& spec : specs) {
        const QString value = valueInShort(spec, textOf(parameters, spec.name));
        const bool first = &spec == &specs.front();
        if (spec.kind != ParameterKind::bytes && specs.size() == 1) {
            values << QStringLiteral("%1: %2").arg(toQString(spec.name),
                                                   value);  // only a size tells what it is
        } else if (spec.kind == ParameterKind::flag) {
            if (flagOf(parameters, spec.name)) {
                values << toQString(spec.name);
            }
        } else if (first || spec.kind == ParameterKind::choice) {
            values << value;
        } else {
            values << toQString(spec.name) + QLatin1Char(' ') + value;
        }
    }
    return values.join(QStringLiteral(", "));
}

Result<std::string> parseValue(const ParameterSpec& spec, const QString& text) {
    const std::string typed = text.trimmed().toStdString();
    if (typed.empty() && spec.kind != ParameterKind::text) {
        return fail(ErrorKind::usage, std::string(spec.name) + " can't be empty; its default is " +
                                          std::string(spec.defaultValue));
    }
    if (spec.kind == ParameterKind::text) {
        return typed;  // nothing in it needs escaping here
    }
    // As "name=value", so that a value holding '=' isn't taken for a name.
    return parseParameters({spec}, std::string(spec.name) + "=" + typed).map([&](const Parameters& parsed) {
        return textOf(parsed, spec.name);
    });
}

QString parameterHelp(const ParameterSpec& spec) {
    QString help = toQString(spec.help);
    if (spec.kind == ParameterKind::bytes) {
        help += QLatin1Char('\n') + tr("A size such as 64KiB or 16MiB, at least %1")
                                        .arg(QString::fromStdString(formatBytes(spec.least)));
        if (spec.most != Bytes(UINT64_MAX)) {
            help += tr(", at most %1").arg(QString::fromStdString(formatBytes(spec.most)));
        }
        if (spec.multipleOf > Bytes(1)) {
            help += tr(", a multiple of %1").arg(QString::fromStdString(formatBytes(spec.multipleOf)));
        }
    }
    return help + QLatin1Char('\n') + tr("Default: %1").arg(toQString(spec.defaultValue));
}

}  // namespace mmapscope
