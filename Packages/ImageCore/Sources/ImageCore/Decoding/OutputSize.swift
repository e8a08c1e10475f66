extension DecodingRequest {
    /// Returns the size of the decoded image.
    /// - Parameter image: The size of the stored image, upright.
    public func outputSize(for image: PixelSize) -> PixelSize {
        target?.outputSize(for: image) ?? image
    }
}

extension ImageTarget {
    /// The size to which an image of the size `image` is brought; both are upright.
    ///
    /// - `fit`: proportions kept, neither side above the target's, rounded to nearest, each at least 1.
    /// - `fill`: exactly the target when the image covers it or may be enlarged, otherwise the largest size with the
    ///   target's proportions that the image covers.
    ///
    /// Sides of the target below 1 count as 1.
    public func outputSize(for image: PixelSize) -> PixelSize {
        let wanted = PixelSize(width: max(1, size.width), height: max(1, size.height))
        let horizontal = Double(wanted.width) / Double(image.width)
        let vertical = Double(wanted.height) / Double(image.height)
        switch mode {
        case .fit:
            let scale = min(horizontal, vertical)
            if scale >= 1, !upscales { return image }
            return PixelSize(
                width: horizontal <= vertical ? wanted.width : wanted.width.limiting(Double(image.width) * scale),
                height: vertical <= horizontal ? wanted.height : wanted.height.limiting(Double(image.height) * scale))
        case .fill:
            let enlargement = max(horizontal, vertical)
            if enlargement <= 1 || upscales { return wanted }
            return PixelSize(
                width: min(image.width, wanted.width.limiting(Double(wanted.width) / enlargement)),
                height: min(image.height, wanted.height.limiting(Double(wanted.height) / enlargement)))
        }
    }
}

extension ImageTarget {
    /// The part of an image of the size `image` that is seen at `outputSize(for:)`: all of it for `fit`, the middle
    /// in the target's proportions for `fill`. Where nothing is scaled it begins and ends between whole pixels.
    public func region(of image: PixelSize) -> PixelRegion {
        if mode == .fit { return PixelRegion(image) }
        let output = outputSize(for: image)
        let wanted = PixelSize(width: max(1, size.width), height: max(1, size.height))
        let scale = max(
            Double(wanted.width) / Double(image.width), Double(wanted.height) / Double(image.height))
        if scale == 1 || (scale > 1 && !upscales) {
            return PixelRegion(
                x: Double((image.width - output.width) / 2), y: Double((image.height - output.height) / 2),
                width: Double(output.width), height: Double(output.height))
        }
        let width = min(Double(image.width), Double(wanted.width) / scale)
        let height = min(Double(image.height), Double(wanted.height) / scale)
        return PixelRegion(
            x: (Double(image.width) - width) / 2, y: (Double(image.height) - height) / 2, width: width,
            height: height)
    }
}

extension Int {
    /// `value` to the nearest whole number, at least 1 and at most this.
    fileprivate func limiting(_ value: Double) -> Int {
        value >= Double(self) ? self : Swift.max(1, Int(value.rounded()))
    }
}
