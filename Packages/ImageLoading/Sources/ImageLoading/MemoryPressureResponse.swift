import ImageCore

extension ImageCache {
    /// Gives back what a level asks for.
    func trim(under level: MemoryPressureLevel) {
        switch level {
        case .normal: break
        case .background, .warning: trim(toShare: 0.5)
        case .critical: removeAll()
        }
    }
}

extension MemoryPressureLevel {
    /// True when nothing should be loaded that nobody waits for.
    var forbidsPrefetching: Bool { self >= .warning }
}
