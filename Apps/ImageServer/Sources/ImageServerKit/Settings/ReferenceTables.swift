/// The tables of the README, made of the code that parses options and settings.
package enum ReferenceTables {
    /// Returns a text with its tables replaced. Each is between two comments, such as `<!-- options -->` and
    /// `<!-- end of options -->`.
    package static func updated(_ text: String) -> String {
        [("options", options), ("settings", settings), ("imgproxy", variables)].reduce(text) { text, table in
            guard let start = text.firstRange(of: "<!-- \(table.0) -->\n"),
                let end = text.firstRange(of: "<!-- end of \(table.0) -->")
            else { return text }
            return String(text[..<start.upperBound]) + table.1 + String(text[end.lowerBound...])
        }
    }

    private static var options: String {
        let preset = OptionTable.Entry(
            "preset", "pr", takes: "name:…", "Applies presets of the settings, in order", apply: { _, _ in })
        return table(
            ["option", "arguments", ""],
            (OptionTable.all + [preset]).map { option in
                [option.names.map { "`\($0)`" }.joined(separator: " "), "`\(option.arguments)`", option.summary]
            })
    }

    private static var settings: String {
        table(
            ["flag", "default", ""],
            Settings.all.map { setting in
                ["`\(setting.flag)`", setting.standardText.isEmpty ? "" : "`\(setting.standardText)`", setting.summary]
            })
    }

    private static var variables: String {
        table(
            ["imgproxy", "here", ""],
            Settings.all.flatMap { setting in
                setting.imgproxy.map { ["`\($0.name)`", "`\(setting.name)`", $0.note] }
            })
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
        return line(head) + "|" + String(repeating: "---|", count: head.count) + "\n" + rows.map(line).joined()
    }
}
