import Foundation

/// What processes say that they are about to do, and have done, in a file beside the cache's folder: it outlives them.
struct OperationLog: Sendable {
    private struct Line: Codable {
        var step: WorkloadStep
        var isDone: Bool
    }

    private let url: URL

    /// A file is made when there is none.
    init(path: String) throws {
        url = URL(fileURLWithPath: path)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: url) }
    }

    func begin(_ step: WorkloadStep) throws { try append(Line(step: step, isDone: false)) }
    func end(_ step: WorkloadStep) throws { try append(Line(step: step, isDone: true)) }

    /// Brings a model up to date with all lines, and returns how many there are.
    @discardableResult
    func replay(into model: inout WorkloadModel) throws -> Int {
        let lines = try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
        for line in lines {
            let line = try JSONDecoder().decode(Line.self, from: line)
            if line.isDone { model.end(line.step) } else { model.begin(line.step) }
        }
        return lines.count
    }

    /// One write to the end of the file: whole or not there, wherever the process dies.
    private func append(_ line: Line) throws {
        let file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        try file.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
        try file.close()
    }
}
