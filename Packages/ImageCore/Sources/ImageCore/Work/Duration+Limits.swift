extension Duration {
    /// The duration, limited to 0 to 100 years. Sums and conversions of a few of them don't overflow.
    package var limited: Duration { min(max(self, .zero), .seconds(3_155_760_000)) }
}
