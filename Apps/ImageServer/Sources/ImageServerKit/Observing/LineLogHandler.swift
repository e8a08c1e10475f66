import Foundation
package import Logging

/// Writes each message as a line of text or of JSON, with the time in UTC.
package struct LineLogHandler: LogHandler {
    /// How a message is written.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// `2026-01-31T12:00:00.000Z info image-server: message key=value`
        case text
        /// An object with the members `time`, `level`, `message` and those of the metadata.
        case json
    }

    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let format: Format
    private let output: LogOutput

    package init(label: String, format: Format, output: LogOutput) {
        self.label = label
        self.format = format
        self.output = output
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var members = metadata
        if let provided = metadataProvider?.get() { members.merge(provided) { $1 } }
        if let own = event.metadata { members.merge(own) { $1 } }
        if let error = event.error { members["error"] = "\(error)" }
        let sorted = members.sorted { $0.key < $1.key }
        output.append { time in
            switch format {
            case .text: text(time, event, sorted)
            case .json: json(time, event, sorted)
            }
        }
    }

    private func text(_ time: String, _ event: LogEvent, _ members: [Logger.Metadata.Element]) -> String {
        var line = "\(time) \(event.level.rawValue) \(label): "
        line +=
            LogText.isPlain(event.message.description, allowing: " ")
            ? event.message.description : LogText.quoted(event.message.description)
        for (name, value) in members {
            let value = value.description
            line += " \(name)=" + (LogText.isPlain(value) ? value : LogText.quoted(value))
        }
        return line
    }

    private func json(_ time: String, _ event: LogEvent, _ members: [Logger.Metadata.Element]) -> String {
        var line = "{\"time\":\"\(time)\",\"level\":\"\(event.level.rawValue)\",\"logger\":\(LogText.quoted(label))"
        line += ",\"message\":\(LogText.quoted(event.message.description))"
        for (name, value) in members { line += ",\(LogText.quoted(name)):\(LogText.json(value))" }
        return line + "}"
    }
}

/// Texts in lines of logs.
enum LogText {
    /// Whether a text needs no quotation marks: it is in ASCII, without spaces, quotes and control characters.
    static func isPlain(_ text: String, allowing extra: Unicode.Scalar? = nil) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\"))
                    || UInt32(byte) == extra?.value
            }
    }

    /// Returns a text as a string of JSON (RFC 8259, section 7), which is one line.
    static func quoted(_ text: String) -> String {
        if isPlain(text, allowing: " ") { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Whether readers of logs obey a character instead of showing it (Unicode, UAX #9).
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }

    /// Returns a value as JSON. Integers and finite numbers are numbers.
    static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .stringConvertible(let number as Int): "\(number)"
        case .stringConvertible(let number as Double) where number.isFinite: "\(number)"
        case .stringConvertible(let other): quoted(other.description)
        case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .dictionary(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(json($0.value))" }
                .joined(separator: ",") + "}"
        }
    }
}
