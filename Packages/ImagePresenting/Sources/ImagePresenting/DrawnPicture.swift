public import ImageCore

/// The last picture of a surface as its toolkit draws it: made once for each picture, however often the progress changes.
@MainActor
public final class DrawnPicture<Picture> {
    /// Nil when there is none, or it could not be made.
    public private(set) var picture: Picture?
    private var number: UInt64?
    private let make: @MainActor (Bitmap) -> Picture?

    public init(make: @escaping @MainActor (Bitmap) -> Picture?) { self.make = make }

    /// True when `picture` is another one than before.
    @discardableResult
    public func update(to appearance: ImageAppearance) -> Bool {
        guard number != appearance.pictureNumber else { return false }
        number = appearance.pictureNumber
        picture = appearance.picture.flatMap { make($0.bitmap) }
        return true
    }
}
