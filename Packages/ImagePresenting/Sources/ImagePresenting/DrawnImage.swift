public import ImageCore

/// The last image of a surface as its toolkit draws it: made once for each image, however often the progress changes.
@MainActor
public final class DrawnImage<OutputImage> {
    /// Nil when there is none, or it could not be made.
    public private(set) var image: OutputImage?
    private var number: UInt64?
    private let make: @MainActor (Bitmap) -> OutputImage?

    public init(make: @escaping @MainActor (Bitmap) -> OutputImage?) { self.make = make }

    /// True when `image` is another one than before.
    @discardableResult
    public func update(to appearance: ImageAppearance) -> Bool {
        guard number != appearance.imageNumber else { return false }
        number = appearance.imageNumber
        image = appearance.image.flatMap { make($0.bitmap) }
        return true
    }
}
