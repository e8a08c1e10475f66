/// What a control group uses and may use, in bytes (kernel documentation, admin-guide/cgroup-v2, "Memory Interface Files").
package struct ControlGroupMemory: Hashable, Sendable {
    /// What it can't give back without waiting: `memory.current` without the file pages that were not used lately. Files that
    /// were read once stay in `memory.current` until the limit is reached, and are no sign that memory is short.
    package var workingSet: Int
    /// The lower of `memory.high` and `memory.max`; nil when neither is set.
    package var limit: Int?
    /// How often memory could not be had (`oom` and `oom_kill` of `memory.events`).
    package var failures: Int

    package init(workingSet: Int, limit: Int?, failures: Int) {
        self.workingSet = workingSet
        self.limit = limit
        self.failures = failures
    }

    package init(folder: String, read: PressureFileReader) throws(MemoryPressureFailure) {
        let current = try Figures(folder + "/memory.current", read).single
        let inactive = try Figures(folder + "/memory.stat", read).named("inactive_file")
        let events = try Figures(folder + "/memory.events", read)
        workingSet = max(0, (current ?? 0) - inactive)
        let limits = [
            try Figures(folder + "/memory.high", read).single, try Figures(folder + "/memory.max", read).single,
        ]
        limit = limits.compactMap(\.self).min()
        failures = try events.named("oom").addingReportingOverflow(events.named("oom_kill")).partialValue
    }

    /// The share of the limit that is taken, 0 and up; nil without a limit.
    package var usage: Double? { limit.map { Double(workingSet) / Double(max(1, $0)) } }
}

/// A file of the kernel's with one number, or with lines of a name and a number.
private struct Figures {
    private let file: String
    private let text: String

    init(_ file: String, _ read: PressureFileReader) throws(MemoryPressureFailure) {
        self.file = file
        text = try read(file)
    }

    /// The one number; nil for the word "max", which stands for no limit.
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
