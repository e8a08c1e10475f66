import ImageCore
import Synchronization

/// Applies the steps after decoding to previews: to the latest one, one at a time.
final class ProcessedPreviews: Sendable {
    private let repeater: LaneRepeater
    private let latest: Latest
    private let isWanted: @Sendable () -> Bool

    private final class Latest: Sendable {
        let preview = Mutex<ImagePreview?>(nil)
    }

    init(
        _ processors: [any ImageProcessor], _ scheduler: any WorkScheduler,
        priority: @escaping @Sendable () -> RequestPriority, isWanted: @escaping @Sendable () -> Bool,
        show: @escaping @Sendable (DecodedImage) -> Void
    ) {
        let latest = Latest()
        self.latest = latest
        self.isWanted = isWanted
        repeater = LaneRepeater(scheduler, in: .decode, priority: priority) { isCancelled in
            guard let preview = latest.preview.withLock({ $0 }) else { return }
            // What a step makes of a part is not to blame for what it makes of the whole: the final picture tells.
            guard let image = try? preview.image.processed(by: processors, isCancelled: isCancelled) else { return }
            if !isCancelled() { show(image) }
        }
    }

    /// Each report carries the latest preview: what was offered before is nothing new.
    func offer(_ preview: ImagePreview) {
        guard isWanted() else { return }
        let isNews = latest.preview.withLock { latest in
            if let latest, latest.number >= preview.number { return false }
            latest = preview
            return true
        }
        if isNews { repeater.ask() }
    }

    func close() { repeater.close() }
}

extension DecodedImage {
    func processed(
        by processors: [any ImageProcessor], isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        var image = self
        for processor in processors {
            if isCancelled() { throw CancellationError() }
            image.bitmap = try processor.applied(to: image.bitmap)
        }
        return image
    }
}

extension ImageProcessor {
    fileprivate func applied(to bitmap: Bitmap) throws(ImageError) -> Bitmap {
        do {
            return try process(bitmap)
        } catch {
            throw .processing(identifier: identifier, "\(error)")
        }
    }
}
