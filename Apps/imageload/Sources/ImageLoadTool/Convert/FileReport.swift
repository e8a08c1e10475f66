import Foundation
import ImageCore
import ImageMetadata

/// The result of converting or optimizing one file.
struct FileReport: Encodable, Sendable {
    enum Status: String, Encodable, Sendable {
        /// The output was written.
        case written
        /// There is a newer output.
        case skipped
        /// No smaller file was found, or the file is left as it is on purpose, as a note says.
        case unchanged
        /// A file would be written without `--dry-run`.
        case possible
        /// The format is that of an image which the tool can't read.
        case unsupported
        case failed
    }

    var file: String
    var status: Status
    var output: String?
    var format: String?
    var width: Int?
    var height: Int?
    var frames: Int?
    var inputBytes: Int?
    var outputBytes: Int?
    /// The quality from 1 to 100, if the file is lossy.
    var quality: Int?
    /// The structural similarity of the worst parts to the source, with `--quality auto`.
    var ssim: Double?
    var encodes: Int?
    var error: String?
    /// What the source has and the result hasn't.
    var losses: [ConversionLoss] = []
    /// What could not be done, such as metadata that the format can't hold.
    var notes: [String] = []
    var failure: ToolFailure?

    private enum CodingKeys: String, CodingKey {
        case file, status, output, format, width, height, frames, inputBytes, outputBytes, quality, ssim, encodes, error
        case losses, notes
    }

    init(file: String, status: Status) {
        self.file = file
        self.status = status
    }

    init(file: String, failure: ToolFailure) {
        self.init(file: file, status: .failed)
        self.failure = failure
        error = failure.line
    }

    /// - Parameter foreign: The name of a format that the tool can't read.
    init(file: String, foreign: String) {
        self.init(file: file, status: .unsupported)
        error = "\(file): left out: \(foreign) is not supported by this tool"
    }

    /// The name of the output in place of that of a file.
    static let standardOutput = "-"

    /// A human-readable line. Nil for what standard error describes, and for an image on standard output.
    var line: String? {
        if output == Self.standardOutput { return nil }
        let name = output ?? file
        let change = [inputBytes, outputBytes].compactMap(\.self).map(ByteCount.text).joined(separator: " -> ")
        switch status {
        case .failed, .unsupported: return nil
        case .skipped: return "\(name): up to date"
        case .unchanged: return "\(name): \(change), \(notes.first ?? "can't be smaller")"
        case .possible, .written:
            let size = width.flatMap { width in height.map { " \(width)x\($0)" } } ?? ""
            let found =
                ssim.map { (quality.map { ", quality \($0)" } ?? ", lossless") + String(format: ", SSIM %.4f", $0) }
                ?? ""
            return "\(name):\(size) \(change)\(found)\(status == .possible ? " possible" : "")"
        }
    }
}

/// The sums of all reports of a run.
struct FileReportTotals {
    private(set) var counts: [FileReport.Status: Int] = [:]
    private(set) var inputBytes = 0
    private(set) var outputBytes = 0
    /// What could not be done, with the number of files.
    private(set) var notes: [String: Int] = [:]

    mutating func add(_ report: FileReport) {
        counts[report.status, default: 0] += 1
        if let before = report.inputBytes, let after = report.outputBytes {
            inputBytes += before
            outputBytes += after
        }
        for note in report.notes { notes[note, default: 0] += 1 }
    }

    /// A human-readable line: `198 written, 2 failed: 412.1 MB -> 38.0 MB`.
    var line: String {
        let order: [FileReport.Status] = [.written, .possible, .unchanged, .skipped, .unsupported, .failed]
        let parts = order.compactMap { status in counts[status].map { "\($0) \(status.rawValue)" } }
        let bytes = inputBytes > 0 ? ": \(ByteCount.text(inputBytes)) -> \(ByteCount.text(outputBytes))" : ""
        return (parts.isEmpty ? "no images" : parts.joined(separator: ", ")) + bytes
    }
}
