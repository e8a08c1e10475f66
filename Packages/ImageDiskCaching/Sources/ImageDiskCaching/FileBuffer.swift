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

/// The contents of one file in memory. `prefix` returns the payload as `Data` without a copy.
@safe
struct FileBuffer: ~Copyable {
    // Allocated by init. Freed either by deinit or by the Data that `prefix` returns.
    private let memory: UnsafeMutableRawBufferPointer

    /// Returns nil if there is not enough memory.
    init?(byteCount: Int) {
        guard let start = unsafe malloc(max(1, byteCount)) else { return nil }
        unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit { unsafe free(memory.baseAddress) }

    /// Calls `body` with the writable memory.
    func withMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Result
    ) throws(FileSystemFailure) -> Result {
        try unsafe body(memory)
    }

    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(memory)
        return unsafe body(bytes.bytes)
    }

    func copy(_ range: Range<Int>) -> Data { unsafe Data(UnsafeRawBufferPointer(rebasing: memory[range])) }

    func text(_ range: Range<Int>) -> String { unsafe String(decoding: memory[range], as: UTF8.self) }

    /// Returns the first bytes as data that owns the memory.
    consuming func prefix(_ count: Int) -> Data {
        let (start, byteCount) = unsafe (memory.baseAddress, memory.count)
        precondition(count <= byteCount, "a prefix must not be longer than the buffer")
        discard self
        guard let start = unsafe start else { return Data() }
        return unsafe Data(bytesNoCopy: start, count: count, deallocator: .free)
    }
}
