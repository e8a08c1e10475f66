/// The memory usage and limit of a control group, in bytes (kernel documentation, admin-guide/cgroup-v2).
struct ControlGroupMemory: Hashable, Sendable {
    /// `memory.current` without inactive file pages, which don't indicate a shortage: they fill the group up to its
    /// limit, and the kernel can free them immediately.
    var workingSet: Int
    /// The lower one of `memory.high` and `memory.max`. Nil if neither is set.
    var limit: Int?
    /// The number of failed allocations: `oom` and `oom_kill` of `memory.events`.
    var failures: Int

    /// The used share of the limit, 0 or more. Nil without a limit.
    var usage: Double? { limit.map { Double(workingSet) / Double(max(1, $0)) } }
}

extension ControlGroupMemory {
    init(folder: String, read: PressureFileReader) throws(MemoryPressureFailure) {
        let current = try KernelNumbers(folder + "/memory.current", read).single
        let inactive = try KernelNumbers(folder + "/memory.stat", read).named("inactive_file")
        let events = try KernelNumbers(folder + "/memory.events", read)
        workingSet = max(0, (current ?? 0) - inactive)
        let limits = [
            try KernelNumbers(folder + "/memory.high", read).single,
            try KernelNumbers(folder + "/memory.max", read).single,
        ]
        limit = limits.compactMap(\.self).min()
        failures = try events.named("oom").addingReportingOverflow(events.named("oom_kill")).partialValue
    }
}

/// A kernel file that contains one number, or lines of a name and a number.
private struct KernelNumbers {
    private let file: String
    private let text: String

    init(_ file: String, _ read: PressureFileReader) throws(MemoryPressureFailure) {
        self.file = file
        text = try read(file)
    }

    /// The only number, or nil for "max", which means no limit.
    var single: Int? {
        get throws(MemoryPressureFailure) {
            guard let word = text.split(whereSeparator: \.isWhitespace).first else {
                throw .malformed(file: file, "empty")
            }
            return word == "max" ? nil : try number(word)
        }
    }

    func named(_ name: String) throws(MemoryPressureFailure) -> Int {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name[...] { return try number(words[1]) }
        }
        throw .malformed(file: file, "no line \"\(name)\"")
    }

    private func number(_ word: Substring) throws(MemoryPressureFailure) -> Int {
        guard let number = Int(word), number >= 0 else { throw .malformed(file: file, String(word)) }
        return number
    }
}
