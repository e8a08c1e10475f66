package import ImageCore

/// Converts the image of a surface to the image type of a toolkit, once for each image.
@MainActor
package final class PlatformImageConverter<OutputImage> {
    /// The converted image, or `nil` if there is none or the conversion failed.
    package private(set) var image: OutputImage?
    private var version: UInt64?
    private let make: @MainActor (Bitmap) -> OutputImage?

    /// - Parameter make: Converts a bitmap. Returns nil if that fails.
    package init(make: @escaping @MainActor (Bitmap) -> OutputImage?) { self.make = make }

    /// Converts the image of an appearance unless it is already converted. Returns true if the image has changed.
    @discardableResult
    package func update(to appearance: ImageAppearance) -> Bool {
        guard version != appearance.imageVersion else { return false }
        version = appearance.imageVersion
        image = appearance.image.flatMap { make($0.bitmap) }
        return true
    }
}
