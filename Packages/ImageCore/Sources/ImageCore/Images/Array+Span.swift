/// The standard library has these from iOS 26 and macOS 26 on. They can go when the package needs those systems.
extension Array where Element: BitwiseCopyable {
    package var span: Span<Element> {
        @_lifetime(borrow self)
        borrowing get {
            // The elements stay in place as long as the array is borrowed: only classes can be bridged to another storage.
            let elements = unsafe withUnsafeBufferPointer { unsafe $0 }
            return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    package var mutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        mutating get {
            let elements = unsafe withUnsafeMutableBufferPointer { unsafe $0 }
            return unsafe _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
        }
    }
}
