import Foundation
import ImageCore
import Testing

@testable import ImageLoadTool

/// Runs `convert` on several files, and checks what is read, written and printed.
@Suite("imageload works on many files", .timeLimit(.minutes(3)))
struct BatchTests {
    private let tool: BuiltTool

    init() throws { tool = try BuiltTool() }

    private func path(_ name: String) -> String { tool.folder.appending(path: name).path }

    private func files(_ name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path(name)).sorted()
    }

    @Test("as many files are in progress as there are jobs and as memory allows, and at least one")
    func memoryBudget() {
        var budget = MemoryBudget(jobs: 2, byteLimit: 100)
        #expect(budget.hasRoom(for: 1_000))
        budget.add(60)
        #expect(!budget.hasRoom(for: 41))
        #expect(budget.hasRoom(for: 40))
        budget.add(40)
        #expect(!budget.hasRoom(for: 0))
        budget.remove(60)
        #expect(budget.hasRoom(for: 60))
        #expect(!budget.hasRoom(for: 61))
        budget.remove(40)
        budget.add(1_000)
        #expect(!budget.hasRoom(for: 1))
        budget.remove(1_000)
        #expect(budget.hasRoom(for: 100))
    }

    @Test("reports are in the order given, whichever file is done first")
    func order() async throws {
        try tool.write(.gradient, to: "a.png")
        // The pipe gets its bytes when the second file is done.
        let run = try await tool.run(
            ["convert", path("pipe"), path("a.png"), "--jobs", "2", "--to", "gif", "--json", "--output", path("out")],
            shell: """
                mkfifo '\(path("pipe"))'
                (while ! [ -e '\(path("out/a.gif"))' ]; do :; done; cat '\(path("a.png"))' > '\(path("pipe"))') &
                """)
        #expect(run.status == 0, "\(run.errors)")
        let reports = try run.output.split(separator: "\n").map(object)
        #expect(reports.map { $0["file"] as? String } == [path("pipe"), path("a.png")])
    }

    @Test("the last line has totals if there are several files, and --quiet prints only failures")
    func printing() async throws {
        try tool.write(.animation, to: "in/a.gif")
        try Data().write(to: tool.folder.appending(path: "in/c.psd"))
        let convert = ["convert", path("in"), "--to", "jpeg", "--force", "--output", path("out") + "/"]
        let run = try await tool.run(convert)
        #expect(run.errors.count == 2)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("\(path("out"))/a.jpg: 40x30 "))
        #expect(lines.last?.hasPrefix("1 written, 1 unsupported: ") == true)
        #expect(
            try await tool.run(["convert", path("in/a.gif"), "-o", path("b.png")]).output.count { $0 == "\n" } == 1)
        for command in [convert, ["info", path("in")]] {
            let quiet = try await tool.run(command + ["--quiet"])
            #expect(quiet.output.isEmpty)
            #expect(quiet.errors.isEmpty)
            #expect(try await tool.run(command + ["--json"]).output.split(separator: "\n").count == 2)
        }
    }

    @Test("a manifest that can't be written is a failure")
    func failedManifest() async throws {
        try tool.write(.gradient, to: "a.png")
        let run = try await tool.run([
            "convert", path("a.png"), "--to", "gif", "--output", path("out"), "--manifest", "/proc/none/m.json",
        ])
        #expect(run.status == 74)
        #expect(run.errors.count == 1)
        #expect(try files("out") == ["a.gif"])
    }

    @Test("a manifest reads images within the limits")
    func manifestLimits() throws {
        var report = FileReport(file: try tool.write(.gradient, to: "a.png").path, status: .written)
        report.output = report.file
        var limits = DecodingLimits.default
        limits.maxPixels = 40 * 30
        #expect(throws: Never.self) { try Manifest([report], path: path("m.json"), limits: limits) }
        limits.maxPixels -= 1
        let failure = #expect(throws: ToolFailure.self) {
            try Manifest([report], path: path("m.json"), limits: limits)
        }
        #expect(failure?.status == .tooLarge)
    }

    @Test(
        "a pipe can't be read for several results, sizes in names or a manifest",
        arguments: [["--sizes", "10,20"], ["--name", "{width}"], ["--manifest", "m.json"]])
    func pipe(options: [String]) async throws {
        let file = try tool.write(.gradient, to: "a.png").path
        let run = try await tool.run(
            ["convert", "/dev/fd/3", "--to", "gif", "--output", path("out")] + options,
            shell: "cd '\(tool.folder.path)'; exec 3< <(cat '\(file)')")
        #expect(run.status == 64)
        #expect(run.errors.first?.contains("can be read only once") == true)
        #expect(!FileManager.default.fileExists(atPath: path("out")))
    }

    @Test("a file without an extension keeps its format, and is up to date the next time")
    func namelessFormat() async throws {
        try tool.write(.gradient, to: "in/plain", format: .gif)
        for status in ["written", "skipped"] {
            let run = try await tool.run(["convert", path("in"), "--size", "20", "--json", "--output", path("out")])
            #expect(try object(run.output.split(separator: "\n")[0])["status"] as? String == status)
            #expect(try files("out") == ["plain.gif"])
        }
    }

    @Test("a file whose name starts with its only dot keeps its name")
    func dotFile() async throws {
        try tool.write(.gradient, to: ".png", format: .png)
        _ = try await tool.run(["convert", path(".png"), "--to", "gif", "--output", path("out")])
        #expect(try files("out") == [".png.gif"])
    }

    @Test("an input that has the name of its own result is left, beside others of that name")
    func ownName() async throws {
        for name in ["in/b.png", "in/b.gif", "in/b.webp"] { try tool.write(.gradient, to: name) }
        _ = try await tool.run(["convert", path("in"), "--to", "webp", "--output", path("in")])
        #expect(try files("in") == ["b.gif", "b.gif.webp", "b.png", "b.png.webp", "b.webp"])
    }
}
