import CImageMemoryCaching

#if canImport(Glibc)
    import Glibc
#endif

/// Memory that is looked into at random.
@usableFromInline
enum TableMemory {
    /// The size of a large page on the processors that matter, and the alignment that it needs.
    private static let largePage = 2 << 20

    /// Memory to be given back with `deallocate`. Much of it comes in large pages where the system lends them to those who ask: a look
    /// then waits for one walk through the tables of pages less.
    @usableFromInline
    static func allocate(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        guard byteCount >= largePage else { return .allocate(byteCount: byteCount, alignment: alignment) }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: largePage)
        #if canImport(Glibc)
            // Where it is refused, small pages do.
            _ = unsafe madvise(memory, byteCount, MADV_HUGEPAGE)
        #endif
        return unsafe memory
    }

    /// Says that memory will be written soon. It comes near while other work is done; nothing waits for it.
    @usableFromInline
    static func prefetch(_ address: UnsafeRawPointer) { unsafe memory_prefetch(address) }

    /// The same for what the first word of a value points to, and the line after it: mostly an object that is retained or released soon,
    /// and what the allocator looks at then. It need not point to anything.
    @inlinable
    static func prefetchObject<Value: ~Copyable>(of value: UnsafePointer<Value>) {
        guard MemoryLayout<Value>.size >= MemoryLayout<UInt>.size else { return }
        let word = unsafe UnsafeRawPointer(value).loadUnaligned(as: UInt.self)
        guard let address = unsafe UnsafeRawPointer(bitPattern: word) else { return }
        unsafe prefetch(address)
        unsafe prefetch(address + 64)
    }
}

extension Array {
    /// Says that an element will be used soon.
    @inlinable
    func prefetch(_ index: Int) {
        guard index < count else { return }
        unsafe withUnsafeBufferPointer { elements in
            if let first = elements.baseAddress { unsafe TableMemory.prefetch(first + index) }
        }
    }
}
