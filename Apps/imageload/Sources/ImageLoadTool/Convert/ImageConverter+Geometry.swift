import ImageCore
import ImageProcessing

extension ImageConverter {
    func target(for size: PixelSize) -> ImageTarget? {
        var target = settings.size?.target(for: size, mode: settings.mode, upscales: settings.upscales)
        target?.usesLinearLight = settings.usesLinearLight
        return target
    }

    /// Returns the target that covers another one, and what is cut out of it then. Nil if the decoder cuts out the center.
    func gravityCrop(
        of image: PixelSize, to target: ImageTarget
    ) -> (covering: ImageTarget, crop: CropProcessor)? {
        guard target.mode == .fill, settings.gravity != .center else { return nil }
        let part = target.outputSize(for: image)
        let factor = max(Double(part.width) / Double(image.width), Double(part.height) / Double(image.height))
        let covering = PixelSize(
            width: max(part.width, Int((Double(image.width) * factor).rounded())),
            height: max(part.height, Int((Double(image.height) * factor).rounded())))
        let origin = settings.gravity.origin(of: part, in: covering)
        return (
            ImageTarget(covering, mode: .fill, upscales: true, usesLinearLight: settings.usesLinearLight),
            CropProcessor(PixelArea(left: origin.x, top: origin.y, size: part))
        )
    }

    func cropped(_ bitmap: Bitmap, _ crop: CropProcessor) throws -> Bitmap {
        let part = try crop.process(bitmap)
        guard settings.crop != nil, let target = target(for: part.size) else { return part }
        return try ResizeProcessor(target, limits: settings.limits).process(part)
    }

    /// Returns the part of the upright source that a result shows.
    ///
    /// - Parameters:
    ///   - crop: What was cut out of the source.
    ///   - covering: The size to which the source was resized before.
    func part(of image: PixelSize, cutBy crop: CropProcessor?, after covering: PixelSize?) -> UnitRegion {
        guard let crop else {
            return UnitRegion(target(for: image)?.region(of: image) ?? PixelRegion(image), of: image)
        }
        if let covering { return UnitRegion(crop.region(of: covering), of: covering) }
        var part = crop.region(of: image)
        let size = PixelSize(width: Int(part.width), height: Int(part.height))
        if let inner = target(for: size)?.region(of: size) {
            part = PixelRegion(x: part.x + inner.x, y: part.y + inner.y, width: inner.width, height: inner.height)
        }
        return UnitRegion(part, of: image)
    }
}
