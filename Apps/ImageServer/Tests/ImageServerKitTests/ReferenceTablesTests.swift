import Foundation
import Testing

@testable import ImageServerKit

@Suite struct ReferenceTablesTests {
    @Test("the README and a guide have the tables of the code; Apps/ImageServer/Scripts/document writes them")
    func readme() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        #expect(text.contains("<!-- options -->\n| option |") && text.contains("<!-- settings -->\n| flag |"))
        let guide = package.appending(path: "Documentation/MigratingFromImgproxy.md")
        let variables = try String(contentsOf: guide, encoding: .utf8)
        #expect(variables.contains("<!-- imgproxy -->\n| imgproxy |"))
        #expect(ReferenceTables.updated(text) == text && ReferenceTables.updated(variables) == variables)
    }

    @Test("replaces what is between the comments, and nothing else")
    func replacing() {
        let text = "a\n<!-- options -->\nold\n<!-- end of options -->\nb <!-- settings -->"
        let updated = ReferenceTables.updated(text)
        #expect(updated.hasPrefix("a\n<!-- options -->\n| option | arguments |  |\n|---|---|---|\n| `resize` `rs` |"))
        #expect(updated.hasSuffix("|\n<!-- end of options -->\nb <!-- settings -->"))
        #expect(ReferenceTables.updated("none") == "none")
    }

    @Test("every option has arguments and a description, and every name is used once")
    func completeness() {
        let names = OptionTable.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        #expect(
            OptionTable.all.allSatisfy { !$0.arguments.isEmpty && !$0.summary.isEmpty && !$0.summary.contains("|") })
        #expect(Settings.all.allSatisfy { !$0.summary.isEmpty && !$0.summary.contains("|") })
    }
}
