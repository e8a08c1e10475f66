import ImageCore

extension DecodedImage {
    /// Applies processors. Throws `ImageError.processing`, or `CancellationError`.
    func processed(by processors: [any ImageProcessor], isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        var image = self
        for processor in processors {
            if isCancelled() { throw CancellationError() }
            do {
                image.bitmap = try processor.process(image.bitmap)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw ImageError.processing(identifier: processor.identifier, UnderlyingError(error))
            }
        }
        return image
    }
}
