import Foundation

/// A log of the operations that processes begin and complete. It is a file beside the cache's folder and outlives the
/// processes.
struct OperationLog: Sendable {
    private struct Line: Codable {
        var step: WorkloadStep
        var isDone: Bool
    }

    private let url: URL

    /// Creates the file if it is missing.
    init(path: String) throws {
        url = URL(fileURLWithPath: path)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: url) }
    }

    func begin(_ step: WorkloadStep) throws { try append(Line(step: step, isDone: false)) }
    func end(_ step: WorkloadStep) throws { try append(Line(step: step, isDone: true)) }

    /// Updates a model with all lines, and returns their number.
    @discardableResult
    func replay(into model: inout WorkloadModel) throws -> Int {
        let lines = try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
        for line in lines {
            let line = try JSONDecoder().decode(Line.self, from: line)
            if line.isDone { model.end(line.step) } else { model.begin(line.step) }
        }
        return lines.count
    }

    /// Appends a line with one write, so that a killed process leaves a complete line or none.
    private func append(_ line: Line) throws {
        let file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        try file.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
        try file.close()
    }
}
