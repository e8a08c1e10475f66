package import ImageCore

extension BoxReader {
    /// Returns how often a track is played, from its duration and that of its edit list, which has the flag 1 if it is
    /// repeated (ISO/IEC 23008-12, 9.6.1); 0 for a track without one, which loops forever, as in browsers.
    ///
    /// - Parameter parts: The boxes in the track.
    package mutating func loopCount(ofTrack parts: [Box]) throws(ImageDecodingError) -> Int {
        guard let edits = try boxes(in: parts.filter { $0.name == "edts" }, named: "elst").first,
            let header = parts.first(where: { $0.name == "tkhd" })
        else { return 0 }
        var fields = fields(in: edits.content)
        try fields.readVersion()
        if fields.flags & 1 == 0 { return 1 }
        _ = try fields.integer(4)
        let segment = try fields.duration()
        fields = self.fields(in: header.content)
        try fields.readVersion()
        // The times of creation and change, the number of the track, and a reserved one.
        _ = try fields.bytes(fields.version == 1 ? 24 : 16)
        guard let segment, segment > 0, let total = try fields.duration() else { return 0 }
        let count = (total - 1) / segment + 1
        return count > Int32.max ? 0 : max(1, count)
    }

    /// Returns the type of an auxiliary image or track (ISO/IEC 23008-12, 6.5.8).
    package func auxiliaryType(in box: Box) throws(ImageDecodingError) -> String {
        var fields = fields(in: box.content)
        try fields.readVersion()
        return try fields.text()
    }
}

extension BoxFields {
    /// Reads a duration, which is longer from version 1 on. Returns nil if it is unknown, that is, if all bits are 1.
    fileprivate mutating func duration() throws(ImageDecodingError) -> Int? {
        let first = try integer(4)
        guard version == 1 else { return first == 0xFFFF_FFFF ? nil : first }
        let second = try integer(4)
        return first > Int32.max ? nil : first << 32 | second
    }
}

extension Duration {
    /// Returns the time for which a frame is shown, for a timescale in units per second.
    package static func shown(_ units: Int, timescale: UInt64) -> Duration {
        guard timescale > 0 else { return Duration.zero.shownDelay }
        let (seconds, rest) = UInt64(units).quotientAndRemainder(dividingBy: timescale)
        let attoseconds = timescale.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000_000_000_000))
        return Duration(
            secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds.quotient)
        ).shownDelay
    }
}
