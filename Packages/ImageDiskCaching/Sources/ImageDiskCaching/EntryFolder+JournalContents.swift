import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The index is written anew when it tells of half as many events more than there are entries, and of this many.
private let toleratedEvents = 4_096

extension EntryFolder {
    // MARK: Knowing what others did

    /// Takes up what happened since the last time, or all of it. What is damaged or from before the machine's last start, when
    /// anything may be missing, is made anew from the entries.
    func catchUp(_ byteCount: Int) throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        let bytes = try read(journal.file, 0..<min(byteCount, JournalFormat.slotSize))
        guard let head = unsafe JournalFormat.head(bytes.span.bytes) else { return try rebuild(byteCount) }
        let isKnown = head.generation == journal.generation && state.withLock { $0.index != nil }
        if !isKnown || journal.end != byteCount {
            guard isKnown || head.bootNumber == fileSystem.bootNumber() && head.layout == options.layout.number,
                try replay(journal, from: isKnown ? journal.end : nil, head.generation, byteCount)
            else { return try rebuild(byteCount) }
        }
        let count = state.withLock { $0.index?.count ?? 0 }
        if byteCount / JournalFormat.slotSize > count + count / 2 + toleratedEvents { try compact() }
    }

    /// Follows the events from an offset on, or all of them into a new index; false when any of them is damaged.
    private func replay(
        _ journal: Journal, from known: Int?, _ generation: UInt64, _ byteCount: Int
    ) throws(FileSystemFailure) -> Bool {
        let start = known ?? JournalFormat.slotSize
        guard start <= byteCount, (byteCount - start) % JournalFormat.slotSize == 0 else { return false }
        let bytes = try read(journal.file, start..<byteCount)
        guard bytes.count == byteCount - start else { return false }
        if known != nil {
            return state.withLock { state in
                guard var index = state.index.take() else { return false }
                let isWhole = replay(bytes, at: start, into: &index)
                state.adopt(index, generation, end: byteCount)
                return isWhole
            }
        }
        var index = EntryIndex(policy: options.policy, capacity: bytes.count / JournalFormat.slotSize)
        guard replay(bytes, at: start, into: &index) else { return false }
        state.withLock { $0.adopt(index, generation, end: byteCount) }
        return true
    }

    /// Follows events, but for the damaged ones; false when there are any.
    private func replay(_ bytes: [UInt8], at offset: Int, into index: inout EntryIndex) -> Bool {
        var isWhole = true
        let plausible = plausibility()
        let slot = JournalFormat.slotSize
        for start in stride(from: 0, to: bytes.count - slot + 1, by: slot) {
            let event = unsafe JournalFormat.event(
                bytes.span.bytes.extracting(start..<start + slot), at: offset + start)
            if let event { index.apply(event.stamped(plausible)) } else { isWhole = false }
        }
        return isWhole
    }

    // MARK: Writing the index anew

    /// Makes the index from the entries themselves, and takes from what is there of the old one when they were used last.
    func rebuild(_ byteCount: Int) throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        var old = EntryIndex(policy: FirstInFirstOut())
        if byteCount > JournalFormat.slotSize {
            let bytes = try read(journal.file, JournalFormat.slotSize..<byteCount)
            _ = replay(bytes, at: JournalFormat.slotSize, into: &old)
        }
        try rewrite(try scan(old))
    }

    private func compact() throws(FileSystemFailure) {
        if let index = state.withLock({ $0.index }) { try rewrite(index) }
    }

    /// Writes an index as few events: what it tells takes the file's place, and this process' memory.
    func rewrite(_ old: EntryIndex) throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        var events = old.reservations.map {
            JournalFormat.Event.reserve(writer: $0.key, name: $0.value.name, byteCount: $0.value.byteCount)
        }
        events += old.records.sorted { $0.stamp < $1.stamp }.map { .insert($0) }
        var index = EntryIndex(policy: options.policy, capacity: old.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(events.count * JournalFormat.slotSize)
        for event in events {
            JournalFormat.append(event, at: JournalFormat.slotSize + bytes.count, to: &bytes)
            index.apply(event)
        }
        let head = JournalFormat.Head(
            generation: newGeneration(journal), bootNumber: fileSystem.bootNumber(), layout: options.layout.number)
        state.withLock { $0.index = nil }
        // Whoever finds no head, because the writer died before it came, does all of this again.
        try fileSystem.truncate(journal.file, to: 0)
        try write(bytes, to: journal.file, at: JournalFormat.slotSize)
        try write(JournalFormat.bytes(of: head), to: journal.file, at: 0)
        state.withLock { $0.adopt(index, head.generation, end: JournalFormat.slotSize + bytes.count) }
    }

    /// A number that no other process, and no other cache of this one, gives: its parts are unique among those that live.
    private func newGeneration(_ journal: Journal) -> UInt64 {
        let stamp = nextStamp()
        let parts = [UInt64(bitPattern: stamp), UInt64(getpid()), UInt64(journal.file), journal.generation]
        var bytes: [UInt8] = []
        for part in parts { unsafe withUnsafeBytes(of: part) { unsafe bytes.append(contentsOf: $0) } }
        return unsafe Checksum.of(bytes.span.bytes)
    }

    // MARK: Bytes

    func read(_ file: Int32, _ range: Range<Int>) throws(FileSystemFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var result: Result<Int, FileSystemFailure> = .success(0)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            result = Result { () throws(FileSystemFailure) in
                try unsafe fileSystem.read(file, into: buffer, at: range.lowerBound)
            }
        }
        bytes.removeLast(range.count - (try result.get()))
        return bytes
    }

    func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(FileSystemFailure) {
        // Bytes are bytes: no padding can show.
        try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.write(bytes, to: file, at: offset)
        }
    }
}

extension EntryFolder.State {
    /// Takes an index for what is in the folder now.
    mutating func adopt(_ index: EntryIndex, _ generation: UInt64, end: Int) {
        lastStamp = max(lastStamp, index.newestStamp)
        self.index = index
        journal?.generation = generation
        journal?.end = end
        for use in uses { self.index?.use(use.name, stamp: use.stamp) }
    }
}
