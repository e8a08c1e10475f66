extension MemoryImageCache {
    /// Evicts until at most this share of what is kept now, by cost, is left. The limit stays as it is.
    /// - Parameter share: 0 to 1; values outside count as the nearer of the two.
    ///
    /// The statistics count it as done under pressure.
    public func trim(toShare share: Double) {
        trim(to: Int(Double(totalCost) * min(max(share, 0), 1)), cause: .pressure)
    }
}
