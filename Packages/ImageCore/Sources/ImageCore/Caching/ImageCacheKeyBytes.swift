#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The parts of an `ImageCacheKey` in one block of memory, in the machine's order of bytes: source, target, processors.
///
/// A text is its length (4) and its UTF-8. A target is a byte of flags, its width and its height (8 each); no target is one byte.
struct ImageCacheKeyBytes: Sendable {
    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let fill = Flags(rawValue: 1)
        static let upscales = Flags(rawValue: 2)
        static let speed = Flags(rawValue: 4)
        static let noTarget = Flags(rawValue: 128)
    }

    private let bytes: [UInt8]

    init(_ source: String, _ target: ImageTarget?, _ processors: [String]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + source.utf8.count + 1 + 2 * MemoryLayout<Int>.size)
        Self.append(source, to: &bytes)
        Self.append(target, to: &bytes)
        for processor in processors { Self.append(processor, to: &bytes) }
        self.bytes = bytes
    }

    var hash: Int {
        var hasher = Hasher()
        // Bytes are bytes: no padding can differ.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    var source: String { text(at: 0) }

    var target: ImageTarget? {
        let start = end(ofText: 0)
        let flags = Flags(rawValue: bytes[start])
        guard !flags.contains(.noTarget) else { return nil }
        let size = PixelSize(width: number(at: start + 1), height: number(at: start + 1 + MemoryLayout<Int>.size))
        return ImageTarget(
            size, mode: flags.contains(.fill) ? .fill : .fit, upscales: flags.contains(.upscales),
            preference: flags.contains(.speed) ? .speed : .quality)
    }

    var processors: [String] {
        let targetStart = end(ofText: 0)
        let hasTarget = !Flags(rawValue: bytes[targetStart]).contains(.noTarget)
        var start = targetStart + 1 + (hasTarget ? 2 * MemoryLayout<Int>.size : 0)
        var texts: [String] = []
        while start < bytes.count {
            texts.append(text(at: start))
            start = end(ofText: start)
        }
        return texts
    }

    func isSame(as other: Self) -> Bool {
        let (bytes, others) = (bytes.span, other.bytes.span)
        guard bytes.count == others.count else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe others.withUnsafeBytes { others in
                guard let start = bytes.baseAddress, let other = others.baseAddress else { return true }
                return unsafe memcmp(start, other, bytes.count) == 0
            }
        }
    }

    private func number(at start: Int) -> Int {
        unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: Int.self)
    }

    private func end(ofText start: Int) -> Int {
        unsafe start + 4 + Int(bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self))
    }

    private func text(at start: Int) -> String {
        String(decoding: bytes[start + 4..<end(ofText: start)], as: UTF8.self)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt32(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ target: ImageTarget?, to bytes: inout [UInt8]) {
        guard let target else { return bytes.append(Flags.noTarget.rawValue) }
        var flags: Flags = []
        if target.mode == .fill { flags.insert(.fill) }
        if target.upscales { flags.insert(.upscales) }
        if target.preference == .speed { flags.insert(.speed) }
        bytes.append(flags.rawValue)
        append(target.size.width, to: &bytes)
        append(target.size.height, to: &bytes)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
    }
}
