import Foundation
import HTTPTypes
import ImageCore

extension SettingsReader {
    /// Returns where spans are sent; nil for nowhere.
    func spanCollector() throws(SettingsFailure) -> SpanCollector? {
        let ratio = try number("traceRatio")
        guard ratio <= 1 else { throw .invalid("traceRatio", "\(ratio) is above 1") }
        let address = try text("otlpEndpoint")
        if address.isEmpty { return nil }
        guard let url = URL(webAddress: address), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.query() == nil, url.user() == nil
        else { throw .invalid("otlpEndpoint", "not an address such as http://localhost:4318") }
        return SpanCollector(
            url: url.appending(path: "v1/traces"), headers: try collectorHeaders(), service: try text("otlpService"),
            sampleRatio: ratio)
    }

    /// Reads fields in the format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value`, percent-encoded, with commas between.
    private func collectorHeaders() throws(SettingsFailure) -> HTTPFields {
        var fields = HTTPFields()
        for pair in try list("otlpHeaders") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])),
                let value = String(parts[1]).removingPercentEncoding, HTTPField.isValidValue(value)
            else { throw .invalid("otlpHeaders", "not a list such as api-key=abc,team=images") }
            fields[name] = value
        }
        return fields
    }
}

/// The variables of OpenTelemetry's specification that have a counterpart among the settings.
enum OpenTelemetryVariables {
    private static let names = [
        "OTEL_EXPORTER_OTLP_ENDPOINT": "otlpEndpoint", "OTEL_EXPORTER_OTLP_HEADERS": "otlpHeaders",
        "OTEL_SERVICE_NAME": "otlpService",
    ]

    /// Returns an environment with the variables of this server that those of OpenTelemetry stand for. Those of this
    /// server come first, and OTEL_SDK_DISABLED turns all of them off.
    static func translated(_ environment: [String: String]) -> [String: String] {
        if environment["OTEL_SDK_DISABLED"]?.lowercased() == "true" { return environment }
        var found: [String: String] = [:]
        for setting in Setting.all {
            guard let name = names.first(where: { $0.value == setting.name })?.key else { continue }
            if let value = environment[name], !value.isEmpty { found[setting.variable] = value }
        }
        return environment.merging(found) { own, _ in own }
    }
}
