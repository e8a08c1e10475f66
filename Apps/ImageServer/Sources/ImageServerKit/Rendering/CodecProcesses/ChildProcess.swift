import CChildProcess
import Foundation

/// A program that reads bytes from its standard input and writes bytes to its standard output. It ends with this object.
final class ChildProcess {
    /// Why a program doesn't start.
    struct StartFailure: Error, CustomStringConvertible {
        let description: String
    }

    /// The time between two checks of cancellation.
    private static let milliseconds: Int32 = 20

    private var process = child_process()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The path.
    ///   - first: The first argument.
    ///   - second: The second argument.
    init(_ program: String, _ first: String, _ second: String) throws(StartFailure) {
        let error = unsafe child_start(program, first, second, &process)
        guard error == 0 else {
            // Clients read it, and needn't learn the folder.
            let name = program.split(separator: "/").last ?? ""
            throw StartFailure(description: "\(name) doesn't start: \(unsafe String(cString: strerror(error)))")
        }
    }

    deinit { unsafe child_stop(&process) }

    /// Returns the path of a program in the folder of this one.
    static func sibling(_ name: String) -> String {
        let program = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        // Other systems than Linux don't have this link.
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? program.path()
        return URL(filePath: own).deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
    }

    /// Sends what remains of the input, and receives bytes. Returns nil if the program ends before it has written them.
    ///
    /// - Parameters:
    ///   - input: The input, the same in each call.
    ///   - count: The number of bytes to receive.
    ///   - checkpoint: Called every 20 milliseconds. Throw to stop waiting.
    func exchange<Failure: Error>(
        _ input: [UInt8], receiving count: Int, checkpoint: () throws(Failure) -> Void
    ) throws(Failure) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: count)
        // What was received before has been returned.
        process.received = 0
        while process.received < count {
            try checkpoint()
            let state = unsafe child_exchange(&process, input, input.count, &output, count, Self.milliseconds)
            if state == child_failed { return nil }
        }
        return output
    }
}
