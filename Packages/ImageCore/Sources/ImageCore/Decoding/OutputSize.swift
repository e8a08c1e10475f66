extension DecodingRequest {
    /// The size of the decoded picture, for a stored picture whose upright size is `picture`.
    public func outputSize(for picture: PixelSize) -> PixelSize {
        target?.outputSize(for: picture) ?? picture
    }
}

extension ImageTarget {
    /// The size to which a picture of the size `picture` is brought; both are upright.
    ///
    /// - `fit`: proportions kept, neither side above the target's, rounded to nearest, each at least 1.
    /// - `fill`: exactly the target when the picture covers it or may be enlarged, otherwise the largest size with the
    ///   target's proportions that the picture covers.
    ///
    /// Sides of the target below 1 count as 1.
    public func outputSize(for picture: PixelSize) -> PixelSize {
        let wanted = PixelSize(width: max(1, size.width), height: max(1, size.height))
        let horizontal = Double(wanted.width) / Double(picture.width)
        let vertical = Double(wanted.height) / Double(picture.height)
        switch mode {
        case .fit:
            let scale = min(horizontal, vertical)
            if scale >= 1, !upscales { return picture }
            return PixelSize(
                width: horizontal <= vertical ? wanted.width : wanted.width.limiting(Double(picture.width) * scale),
                height: vertical <= horizontal ? wanted.height : wanted.height.limiting(Double(picture.height) * scale))
        case .fill:
            let enlargement = max(horizontal, vertical)
            if enlargement <= 1 || upscales { return wanted }
            return PixelSize(
                width: min(picture.width, wanted.width.limiting(Double(wanted.width) / enlargement)),
                height: min(picture.height, wanted.height.limiting(Double(wanted.height) / enlargement)))
        }
    }
}

extension ImageTarget {
    /// The part of a picture of the size `picture` that is seen at `outputSize(for:)`: all of it for `fit`, the middle
    /// in the target's proportions for `fill`. Where nothing is scaled it begins and ends between whole pixels.
    public func region(of picture: PixelSize) -> PixelRegion {
        if mode == .fit { return PixelRegion(picture) }
        let output = outputSize(for: picture)
        let wanted = PixelSize(width: max(1, size.width), height: max(1, size.height))
        let scale = max(
            Double(wanted.width) / Double(picture.width), Double(wanted.height) / Double(picture.height))
        if scale == 1 || (scale > 1 && !upscales) {
            return PixelRegion(
                x: Double((picture.width - output.width) / 2), y: Double((picture.height - output.height) / 2),
                width: Double(output.width), height: Double(output.height))
        }
        let width = min(Double(picture.width), Double(wanted.width) / scale)
        let height = min(Double(picture.height), Double(wanted.height) / scale)
        return PixelRegion(
            x: (Double(picture.width) - width) / 2, y: (Double(picture.height) - height) / 2, width: width,
            height: height)
    }
}

extension Int {
    /// `value` to the nearest whole number, at least 1 and at most this.
    fileprivate func limiting(_ value: Double) -> Int {
        value >= Double(self) ? self : Swift.max(1, Int(value.rounded()))
    }
}
