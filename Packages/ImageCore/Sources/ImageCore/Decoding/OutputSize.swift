extension DecodingRequest {
    /// Returns the size of the decoded image.
    /// - Parameter image: The size of the stored image, upright.
    public func outputSize(for image: PixelSize) -> PixelSize {
        target?.outputSize(for: image) ?? image
    }
}

extension ImageTarget {
    /// Returns the size to which an image is resized. Both sizes are upright.
    ///
    /// - `fit`: The aspect ratio is kept. Neither side exceeds the target. Sides are rounded to nearest and at least 1.
    /// - `fill`: The target if the image covers it or may be enlarged. Otherwise the largest size with the target's
    ///   aspect ratio that the image covers.
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
    /// Returns the part of an image that is visible at `outputSize(for:)`: all of it for `fit`, or the center with the
    /// target's aspect ratio for `fill`. If the image is not scaled, the edges are at whole pixels.
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
    /// Returns `value` rounded to nearest, at least 1 and at most `self`.
    fileprivate func limiting(_ value: Double) -> Int {
        value >= Double(self) ? self : Swift.max(1, Int(value.rounded()))
    }
}
