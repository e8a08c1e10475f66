extension [UInt8] {
    /// Returns `count` bytes that repeat these. Appends blocks, because single bytes are slow in debug builds.
    func repeated(toFill count: Int) -> [UInt8] {
        var bytes = self
        while bytes.count < count { bytes += Array(bytes.prefix(count - bytes.count)) }
        return bytes
    }
}
