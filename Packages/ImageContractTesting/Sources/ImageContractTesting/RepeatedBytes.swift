extension [UInt8] {
    /// These again and again, as many as are wanted: long test contents in blocks, since byte by byte is slow in debug builds.
    func repeated(toFill count: Int) -> [UInt8] {
        var bytes = self
        while bytes.count < count { bytes += Array(bytes.prefix(count - bytes.count)) }
        return bytes
    }
}
