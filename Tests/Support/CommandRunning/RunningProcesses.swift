import Foundation

/// Returns the identifiers of the processes that were started with a program. Linux only.
/// - Parameter program: The path with which they were started.
public func processes(running program: String) throws -> Set<Int32> {
    let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
    return Set(
        all.filter { process in
            // Nil if the process has ended since.
            let command = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
            return command?.hasPrefix(program + "\0") == true
        })
}
