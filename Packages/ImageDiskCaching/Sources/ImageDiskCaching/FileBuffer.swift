import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Memory for the bytes of one file, which becomes the `Data` of its payload without a copy.
@safe
struct FileBuffer: ~Copyable {
    // Owned: allocated in init, and freed by deinit or by the Data that `prefix` gives it to, never both.
    private let memory: UnsafeMutableRawBufferPointer

    /// Nil when there is no memory of that size.
    init?(byteCount: Int) {
        guard let start = unsafe malloc(max(1, byteCount)) else { return nil }
        unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit { unsafe free(memory.baseAddress) }

    /// Lets `body` write into the memory.
    func withMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Result
    ) throws(FileSystemFailure) -> Result {
        try unsafe body(memory)
    }

    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(memory)
        return unsafe body(bytes.bytes)
    }

    func copy(_ range: Range<Int>) -> Data { unsafe Data(memory[range]) }

    func text(_ range: Range<Int>) -> String { unsafe String(decoding: memory[range], as: UTF8.self) }

    /// Gives the memory up as the data of its first bytes.
    consuming func prefix(_ count: Int) -> Data {
        let (start, byteCount) = unsafe (memory.baseAddress, memory.count)
        precondition(count <= byteCount, "a prefix is no longer than the whole")
        discard self
        guard let start = unsafe start else { return Data() }
        return unsafe Data(bytesNoCopy: start, count: count, deallocator: .free)
    }
}
