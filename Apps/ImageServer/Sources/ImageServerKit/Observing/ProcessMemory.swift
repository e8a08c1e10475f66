#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The memory of this process.
enum ProcessMemory {
    /// The resident memory in bytes, from `/proc/self/status`; nil on other systems than Linux.
    static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return kilobytes * 1_024
    }
}
