import ImageCore

extension ImageOrigin {
    /// The lane in which the original is loaded; nil for none.
    var lane: WorkLane? {
        guard let url else { return nil }
        if !isLocal { return .download }
        return url.scheme?.lowercased() == "file" ? .file : nil
    }
}

extension URL {
    /// Throws `.invalidURL` for a URL that no transport can load.
    func checkIsLoadable() throws(ImageError) {
        guard let scheme = scheme?.lowercased() else { throw .invalidURL(absoluteString) }
        if scheme == "http" || scheme == "https", host()?.isEmpty ?? true { throw .invalidURL(absoluteString) }
    }
}
