import ImageCore

extension ImageCache {
    func trim(under level: MemoryPressureLevel) {
        switch level {
        case .normal: break
        case .warning: trim(toShare: 0.5)
        case .critical: removeAll()
        }
    }
}
