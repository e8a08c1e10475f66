/// A loaded animation. A still image is an animation of one frame.
public struct LoadedAnimation: Sendable {
    /// The first frame. Its header has the delays of all frames, and the number of times that they are played.
    public var firstFrame: LoadedImage
    /// All frames, decoded on demand. Retain them while you show them: their memory is released with the last reference.
    public var frames: any AnimationFrames

    /// Creates an animation from its first frame and all frames.
    public init(firstFrame: LoadedImage, frames: any AnimationFrames) {
        self.firstFrame = firstFrame
        self.frames = frames
    }

    /// Creates an animation of one frame.
    public init(still image: LoadedImage) { self.init(firstFrame: image, frames: DecodedFrames([image.bitmap])) }
}
