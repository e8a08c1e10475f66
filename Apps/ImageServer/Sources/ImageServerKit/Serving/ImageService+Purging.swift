import Foundation
import ImageCore

extension ImageService {
    /// Purges the result of a path, in all formats.
    ///
    /// - Parameter path: The path of the image, without the query.
    /// - Returns: Whether the caches were reached, so that the other servers will know of the purge.
    /// - Throws: `.url` or `.origin`.
    func purgeResult(path: some StringProtocol) async throws(ServiceFailure) -> Bool {
        let url = try checked(path)
        parts.purges.add(resultOf: url)
        return await synchronizePurges()
    }

    /// Purges an original, and all results of it.
    ///
    /// - Parameter path: What follows the options in the path of an image: `/plain/` and the source, or the source in
    ///   Base64.
    func purgeSource(path: some StringProtocol) async throws(ServiceFailure) -> Bool {
        let source: URL
        do {
            source = try parts.parser.current.parser.source(of: path)
        } catch {
            throw ServiceFailure(error)
        }
        parts.purges.add(source: source)
        await parts.removeOrigin(source)
        return await synchronizePurges()
    }

    /// Tells the other servers what was purged, and applies what they purged.
    ///
    /// - Returns: Whether the caches were reached.
    @discardableResult
    package func synchronizePurges() async -> Bool {
        let (purged, isComplete) = await parts.purges.synchronize()
        for source in purged { await parts.removeOrigin(source) }
        return isComplete
    }
}
