import CChildProcess
import Foundation
import ImageCore

/// Work of a codec that can't be interrupted. The server starts itself again for it, and ends that process when nobody
/// waits for the result anymore.
///
/// The process gets the job as its second argument and the file or the pixels on standard input. It writes a
/// `CodecReply` to standard output.
package enum CodecJob: Codable, Sendable {
    /// Decodes a still image.
    case decode(DecodingJob)
    /// Encodes a still image.
    case encode(EncodingJob)

    /// The first argument of such a process.
    private static let argument = "codec-job"

    /// Returns the job of this process. Returns nil if it is a server.
    package init?(arguments: [String]) throws {
        guard arguments.count == 2, arguments[0] == Self.argument else { return nil }
        self = try JSONDecoder().decode(CodecJob.self, from: Data(arguments[1].utf8))
    }

    /// Does the job in this process.
    package func run() throws {
        child_depend_on_parent()
        if case .decode(let job) = self { try job.limitResources() }
        let input = try FileHandle.standardInput.readToEnd() ?? Data()
        let reply =
            switch self {
            case .decode(let job): job.reply(to: input)
            case .encode(let job): job.reply(to: input)
            }
        try FileHandle.standardOutput.write(contentsOf: reply.data)
    }

    /// Does the job in a process of its own.
    ///
    /// - Parameters:
    ///   - input: The file or the pixels.
    ///   - limit: The most bytes of the result.
    ///   - checkpoint: Called every 20 milliseconds. Throw to end the process.
    /// - Throws: A `ChildProcess.StartFailure`, a `CodecProcessEnded`, or the error of `checkpoint`.
    func start(_ input: [UInt8], limit: Int, checkpoint: () throws -> Void) throws -> CodecReply {
        let job = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        let process = try ChildProcess(ChildProcess.sibling("image-server"), Self.argument, job)
        guard let head = try process.exchange(input, receiving: CodecReply.headByteCount, checkpoint: checkpoint),
            let (outcome, byteCount) = CodecReply.parse(head: head, limit: limit),
            let body = try process.exchange(input, receiving: byteCount, checkpoint: checkpoint)
        else { throw CodecProcessEnded() }
        return CodecReply(outcome, body)
    }
}

/// A process ended before it replied. Perhaps memory was short.
struct CodecProcessEnded: Error, CustomStringConvertible {
    var description: String { "the process of the codec ended early" }
}
