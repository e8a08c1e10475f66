/// A loaded animation. A still image is an animation of one frame.
public struct LoadedAnimation: Sendable {
    /// The first frame. Its header has the delays of all frames, and the number of times that they are played.
    public var image: LoadedImage
    /// All frames, decoded on demand. Retain them while you show them: their memory is released with the last reference.
    public var frames: any AnimationFrames

    /// Creates an animation from its first frame and all frames.
    public init(image: LoadedImage, frames: any AnimationFrames) {
        self.image = image
        self.frames = frames
    }

    /// Creates an animation of one frame.
    public init(still image: LoadedImage) { self.init(image: image, frames: DecodedFrames([image.bitmap])) }
}
