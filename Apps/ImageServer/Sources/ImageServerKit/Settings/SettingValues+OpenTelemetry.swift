import Foundation
import HTTPTypes
import ImageCore

extension SettingValues {
    /// Returns where spans and metrics are sent; nil for nowhere.
    func collector() throws(SettingsFailure) -> Collector? {
        var collector = Collector(service: self.otlpService)
        collector.sampleRatio = self.traceRatio
        collector.trustsParents = self.trustTraceParent
        let seconds = self.otlpMetricsSeconds
        guard seconds == 0 || (0.1...1e6).contains(seconds) else {
            throw .invalid("otlpMetricsSeconds", "\(seconds) is not from 0.1 to 1000000")
        }
        collector.metricsInterval = .seconds(seconds)
        collector.headers = try collectorHeaders()
        let base = try address(self.otlpEndpoint, "otlpEndpoint")
        collector.traces = base?.appending(path: "v1/traces")
        let metrics =
            try address(self.otlpMetricsEndpoint, "otlpMetricsEndpoint") ?? base?.appending(path: "v1/metrics")
        collector.metrics = seconds > 0 ? metrics : nil
        return collector.traces == nil && collector.metrics == nil ? nil : collector
    }

    private func address(_ text: String?, _ name: String) throws(SettingsFailure) -> URL? {
        guard let text else { return nil }
        guard let url = URL(webAddress: text), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.query() == nil, url.user() == nil
        else { throw .invalid(name, "not an address such as http://localhost:4318") }
        return url
    }

    /// Reads fields in the format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value`, percent-encoded, with commas between.
    private func collectorHeaders() throws(SettingsFailure) -> HTTPFields {
        var fields = HTTPFields()
        for pair in self.otlpHeaders {
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
    /// The last one that is given counts for a setting.
    private static let all: [(name: String, setting: String, convert: @Sendable (String) -> String?)] = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "otlpEndpoint", { $0 }),
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "otlpMetricsEndpoint", { $0 }),
        ("OTEL_EXPORTER_OTLP_HEADERS", "otlpHeaders", { $0 }), ("OTEL_SERVICE_NAME", "otlpService", { $0 }),
        ("OTEL_METRIC_EXPORT_INTERVAL", "otlpMetricsSeconds", { Double($0).map { "\($0 / 1_000)" } ?? $0 }),
        ("OTEL_METRICS_EXPORTER", "otlpMetricsSeconds", { $0.contains("otlp") ? nil : "0" }),
    ]

    /// Returns an environment with the variables of this server that those of OpenTelemetry stand for. Those of this
    /// server come first, and OTEL_SDK_DISABLED turns all of them off.
    static func translated(_ environment: [String: String]) -> [String: String] {
        if environment["OTEL_SDK_DISABLED"]?.lowercased() == "true" { return environment }
        var found: [String: String] = [:]
        for entry in all {
            guard let text = environment[entry.name], !text.isEmpty, let value = entry.convert(text),
                let setting = Settings.named(entry.setting)
            else { continue }
            found[setting.variable] = value
        }
        return environment.merging(found) { own, _ in own }
    }
}
